import {
  importedState,
  messageOf,
  readLog,
  type AgentSessionError,
  type LogRecord,
  type SessionLog,
  type SessionState,
} from '@banister/session';
import { storageError } from '../log-errors.js';
import { damagedLine, readLines } from './read-lines.js';

/** How long the import keeps writers away, in milliseconds. */
const LEASE_MS = 30_000;

/**
 * Stores an export as a new session. It is checked whole before anything is stored, and stored at once: as a snapshot, the state
 * after its last record. What the file claims is not of this device: the new session has no grants, and begins with the first of its `modes`; calls of
 * an interrupted turn are asked about again, whatever the file says about them; effects are `lost`, so that nothing of them is taken back.
 *
 * @param id of the new session; it may differ from that of the export
 * @param lines the text of `exportLog`, whole or in pieces
 * @throws AgentSessionError `storage` with the reason `damaged`, `details.line` is the number of the line; with `exists` when the log has a
 *   session of this id; with `held` while a session of this id is open. `unsupported` for an export of a newer release
 * @example
 * await importLog(log, 'chat-42-copy', await file.text());
 */
export async function importLog(
  log: SessionLog,
  id: string,
  lines: string | Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const { head, snapshot, records } = await readLines(typeof lines === 'string' ? [lines] : lines);
  const state = stateOf(snapshot as SessionState | null, records as readonly LogRecord[]);
  const lease = await log.claim(id, `import of ${id}`, LEASE_MS);
  try {
    const there = await log.load(id);
    if (there.revision > 0 || there.snapshot !== null || there.damage) throw exists(id);
    await log.snapshot(lease, 0, importedState(state)).catch(async (error: unknown) => {
      // The log may have stored the snapshot, and the answer may have been lost. The lease keeps other writers away.
      if ((await log.load(id)).snapshot === null) throw error;
    });
    const { title, note } = head;
    await log.describe(id, note === undefined ? { title } : { title, note });
  } finally {
    await log.release(lease).catch(() => {});
  }
}

/** Returns the state after the last record. Throws at the first line that no session can read. */
function stateOf(snapshot: SessionState | null, records: readonly LogRecord[]): SessionState {
  const before = readLog({ snapshot, records: [] });
  if (before.problem) throw refusal(2, before.problem);
  const { state, count, problem } = readLog({ snapshot, records });
  if (problem) throw refusal((snapshot === null ? 2 : 3) + count, problem);
  return state;
}

function refusal(line: number, problem: AgentSessionError): AgentSessionError {
  return problem.code === 'unsupported' ? problem : damagedLine(line, messageOf(problem.cause), problem);
}

function exists(id: string): AgentSessionError {
  return storageError(
    'There is a conversation of this name already. Nothing was imported.',
    { reason: 'exists', id },
    'after-action',
  );
}
