import { isTerminal } from '../operations/operation.js';
import { toStored } from '../operations/to-stored.js';
import type { Journal } from '../ports/journal.js';
import { hasOpenWork } from '../state/interruption.js';
import type { SessionState } from '../state/session-state.js';
import type { LogJournal } from './log-journal.js';
import type { SessionCore } from '../session/session-core.js';
import type { LoadedLog } from './session-log.js';

/** Below this length, in characters of JSON, the records of a chat are never replaced by a snapshot. */
const LEAST_LENGTH = 4_096;

/**
 * Returns a journal that writes to a log and sometimes stores a snapshot at the end of a turn. It does so when the records since the last
 * snapshot are longer than 4 kB, and longer than the messages were at that snapshot; when a log with a snapshot is opened, than the messages
 * are at the opening. So between two turns a log has at most its snapshot, records as long as the messages, and 4 kB. The longer the chat, the
 * rarer the snapshots.
 *
 * With each record the journal also tells the log whether work is open.
 *
 * @param core its state has exactly the operations that the journal has received
 * @param loaded the log as it was when it was opened
 */
export function snapshotting(
  journal: LogJournal,
  core: Pick<SessionCore, 'state' | 'store'>,
  { snapshot, records }: Pick<LoadedLog, 'snapshot' | 'records'>,
): Journal {
  let sinceLast = records.reduce((sum, { operations }) => sum + lengthOf(operations), 0);
  let least = snapshot === null ? LEAST_LENGTH : leastFor(core.state);
  let seen = 0;
  const store = (): void => {
    const now = core.state;
    const before = sinceLast;
    sinceLast = 0;
    least = leastFor(now);
    // A snapshot only shortens the log, so a failure is not reported. The end of the next turn stores another snapshot.
    journal.snapshot(now).catch(() => {
      sinceLast += before;
    });
  };
  return {
    write(operations, options) {
      const last = operations.at(-1)!.sequence;
      const { sequence, current } = core.store;
      // If the state is ahead of the record, the next record says whether work is open.
      const open = sequence > last || hasOpenWork(current);
      const written = journal.write(operations, { ...options, open });
      // Refused operations are written again, but must be counted only once.
      const news = operations.filter(({ sequence }) => sequence > seen);
      seen = last;
      sinceLast += lengthOf(toStored(news));
      if (sinceLast > least && news.some(isTerminal) && sequence === seen) store();
      return written;
    },
  };
}

/** Returns the length of the records at which a snapshot of this state is replaced. */
function leastFor({ conversation }: SessionState): number {
  return Math.max(LEAST_LENGTH, lengthOf(conversation.messages));
}

/** Returns the length of a value as JSON. */
function lengthOf(value: readonly unknown[]): number {
  return JSON.stringify(value).length;
}
