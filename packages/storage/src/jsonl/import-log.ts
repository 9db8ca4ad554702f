import {
  importedState,
  type AgentSessionError,
  type SavedConversation,
  type SessionLog,
  type SessionState,
} from '@banister/session';
import { messageOf } from '@banister/provider';
import { readLog, type LogRecord, savedState } from '@banister/session/log';
import { storeAsNew } from './begin-log.js';
import { damagedLine, readLines } from './read-lines.js';

/**
 * Stores an export as a new session. The whole export is checked first, then its last state is stored as one snapshot. What belongs to
 * another device is dropped: the new session has no grants and starts with the first of its `modes`. The user is asked again about the
 * calls of an interrupted turn. Effects are `lost`: they cannot be undone. A title that the log refuses twice is missing, and then the promise
 * rejects although the session is stored.
 *
 * @param id the id of the new session; it may differ from the exported id
 * @param lines the output of `exportLog`, as one string or in pieces
 * @throws AgentSessionError `storage` with the reason `damaged` and the line number in `details.line`; with `exists` if the log already has a
 *   session with this id; with `held` while a session with this id is open. `unsupported` if a newer release wrote the export
 * @example
 * await importLog(log, 'chat-42-copy', await file.text());
 */
export async function importLog(
  log: SessionLog,
  id: string,
  lines: string | Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const { head, snapshot, records } = await readLines(typeof lines === 'string' ? [lines] : lines);
  const state = stateOf(snapshot as SavedConversation | null, records as readonly LogRecord[]);
  await storeAsNew(log, id, importedSnapshot(state));
  const { title, note } = head;
  const describe = () => log.describe(id, note === undefined ? { title } : { title, note });
  // Only the answer may have been lost, and the session is stored already.
  await describe().catch(describe);
}

/** Returns the snapshot of the new session. Throws if a session could not read it, because a value deep in the export is damaged. */
function importedSnapshot(state: SessionState): SavedConversation {
  try {
    const snapshot = savedState(importedState(state));
    const { problem } = readLog({ snapshot: structuredClone(snapshot), records: [] });
    if (problem) throw problem;
    return snapshot;
  } catch (error) {
    throw damagedLine(2, messageOf(error), error);
  }
}

/** Returns the state after the last record. Throws at the first line that a session cannot read. */
function stateOf(snapshot: SavedConversation | null, records: readonly LogRecord[]): SessionState {
  const before = readLog({ snapshot, records: [] });
  if (before.problem) throw refusal(2, before.problem);
  const { state, count, problem } = readLog({ snapshot, records });
  if (problem) throw refusal((snapshot === null ? 2 : 3) + count, problem);
  return state;
}

function refusal(line: number, problem: AgentSessionError): AgentSessionError {
  return problem.code === 'unsupported' ? problem : damagedLine(line, messageOf(problem.cause), problem);
}
