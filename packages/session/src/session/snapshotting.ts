import { isTerminal, type Operation } from '../operations/operation.js';
import { toStored } from '../operations/stored.js';
import type { Journal } from '../ports/journal.js';
import type { SessionState } from '../state/session-state.js';
import type { LogJournal } from './log-journal.js';

/** Less text than this is read faster than a snapshot is written, in characters. */
const LEAST_LENGTH = 16_384;

/**
 * Returns a journal that writes to a log, and stores a snapshot of the state at the end of a turn when the records since the last one
 * are longer than half of it, and than 16 kB. So all snapshots together are at most about twice as long as all records, and a log is
 * seldom longer than its snapshot and a half.
 *
 * @param state returns the state with all operations that were handed to the journal, and no others
 * @param length of the records since the last snapshot, in characters of JSON
 * @param snapshotLength of the last snapshot; 0 without one
 */
export function snapshotting(
  journal: LogJournal,
  state: () => SessionState,
  length: number,
  snapshotLength: number,
): Journal {
  let sinceLast = length;
  let least = leastFor(snapshotLength);
  let seen = 0;
  const store = (): void => {
    const now = state();
    const before = sinceLast;
    sinceLast = 0;
    least = leastFor(lengthOf(now));
    // A snapshot only shortens the next opening. After a failure the end of the next turn stores one.
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
      sinceLast += lengthOf(toStored(news));
      if (sinceLast > least && news.some(isTerminal) && state().sequence === seen) store();
      return written;
    },
  };
}

/** Returns the length of the records after which a snapshot of this length is replaced. */
function leastFor(snapshotLength: number): number {
  return Math.max(LEAST_LENGTH, snapshotLength / 2);
}

/** Returns the length of a value as JSON. */
export function lengthOf(value: SessionState | readonly Operation[]): number {
  return JSON.stringify(value).length;
}
