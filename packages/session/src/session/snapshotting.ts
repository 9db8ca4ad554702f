import { isTerminal } from '../operations/operation.js';
import { storedOperations } from '../operations/stored.js';
import type { Journal } from '../ports/journal.js';
import type { SessionState } from '../state/session-state.js';
import type { LogJournal } from './log-journal.js';
import type { LoadedLog } from './session-log.js';

/** A chat of less text than this is its records, in characters. */
const LEAST_LENGTH = 4_096;

/**
 * Returns a journal that writes to a log, and stores a snapshot of the state at the end of a turn when the records since the last one
 * are longer than the messages were at that one, and than 4 kB. So a log between two turns is at most its snapshot, as much again as the messages, and 4 kB;
 * and the distance between two snapshots grows with the chat.
 *
 * @param state returns the state with all operations that were handed to the journal, and no others
 * @param loaded the log as it was opened
 */
export function snapshotting(
  journal: LogJournal,
  state: () => SessionState,
  { snapshot, records }: Pick<LoadedLog, 'snapshot' | 'records'>,
): Journal {
  let sinceLast = records.reduce((sum, { operations }) => sum + lengthOf(operations), 0);
  let least = leastFor(snapshot);
  let seen = 0;
  const store = (): void => {
    const now = state();
    const before = sinceLast;
    sinceLast = 0;
    least = leastFor(now);
    // A snapshot only shortens the log. After a failure the end of the next turn stores one.
    journal.snapshot(now).catch(() => {
      sinceLast += before;
    });
  };
  return {
    write(operations, options) {
      const written = journal.write(operations, options);
      // Operations that were refused are written again: they are counted once.
      const news = operations.filter(({ sequence }) => sequence > seen);
      seen = operations.at(-1)!.sequence;
      sinceLast += lengthOf(storedOperations(news));
      if (sinceLast > least && news.some(isTerminal) && state().sequence === seen) store();
      return written;
    },
  };
}

/** Returns the length of the records after which this snapshot is replaced. */
function leastFor(snapshot: SessionState | null): number {
  return Math.max(LEAST_LENGTH, snapshot === null ? 0 : lengthOf(snapshot.conversation.messages));
}

/** Returns the length of a value as JSON. */
function lengthOf(value: readonly unknown[]): number {
  return JSON.stringify(value).length;
}
