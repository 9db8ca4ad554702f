import { AgentSessionError, type SavedConversation, type SessionLog } from '@banister/session';
import { savedState } from '@banister/session/log';
import { readLog } from '@banister/session/log';
import { storageError } from '../log-errors.js';
import { titleOf } from '../title-of.js';

/** How long the lease of the new session is held, in milliseconds. */
const LEASE_MS = 30_000;

/**
 * Begins the log of a session with a saved conversation, such as the result of `save()`. A session that opens the log goes on with the
 * conversation. Its title is the first line of its first message. Pass a conversation of unknown origin through `importedConversation` of `@banister/session/export` first.
 *
 * @param id the id of the new session
 * @throws AgentSessionError `storage` with the reason `exists` if the log already has a session with this id; with `held` while a session
 *   with this id is open. `unsupported` if a newer release saved the conversation, and `invalid-configuration` for any other value
 *
 * @example
 * await beginLog(log, 'chat-42', JSON.parse(text));
 * const session = createAgentSession({ provider, domains, id: 'chat-42', log });
 */
export async function beginLog(log: SessionLog, id: string, saved: SavedConversation): Promise<void> {
  // The rest of a session, which only the snapshot of a log has, is no part of a conversation.
  const conversation = { ...saved, session: undefined };
  const { state, problem } = readLog({ snapshot: conversation, records: [] });
  if (problem) throw problem.cause instanceof AgentSessionError ? problem.cause : problem;
  await storeAsNew(log, id, savedState(state));
  const title = titleOf(state.turns.map(({ input }) => input));
  if (title !== undefined) await log.describe(id, { title });
}

/** Stores a snapshot that can be read as a new session. */
export async function storeAsNew(log: SessionLog, id: string, saved: SavedConversation): Promise<void> {
  const lease = await log.claim(id, `beginning of ${id}`, LEASE_MS);
  try {
    const there = await log.load(id);
    if (there.revision > 0 || there.snapshot !== null || there.damage) throw exists(id);
    await log.snapshot(lease, 0, saved).catch(async (error: unknown) => {
      // The log may have stored the snapshot, and the answer may have been lost. The lease keeps other writers away.
      if ((await log.load(id)).snapshot === null) throw error;
    });
  } finally {
    await log.release(lease).catch(() => {});
  }
}

function exists(id: string): Error {
  return storageError(
    'A conversation with this id exists already. Nothing was stored.',
    { reason: 'exists', id },
    'after-action',
  );
}
