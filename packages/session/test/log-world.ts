import { createVirtualClock, memoryLog, type AnswerSource, type VirtualClock } from '@banister/testing';
import type { Operation, SessionLog, SessionOptions } from '@banister/session';
import { createSession, opened, type OpenedSession } from './opened.js';

/** The chat that the sessions of a `LogWorld` open. */
export const id = 'chat-1';

/** Sessions of one log, as the tabs of a browser have them, and a clock for all. */
export interface LogWorld {
  readonly clock: VirtualClock;
  /** The log itself. */
  readonly log: SessionLog;
  /** The log that the sessions have, with the replaced members. */
  readonly shared: SessionLog;
  open(answers?: readonly AnswerSource[], options?: Partial<SessionOptions>): Promise<OpenedSession>;
  /** Resolves with the operations that the log holds. */
  stored(): Promise<readonly Operation[]>;
}

/** Creates a log that several sessions open. */
export function logWorld(replaced: (log: SessionLog) => Partial<SessionLog> = () => ({})): LogWorld {
  const clock = createVirtualClock(1_000);
  // Without snapshots the log keeps every record, and `stored` has all operations.
  const log: SessionLog = { ...memoryLog({ clock }), snapshot: async () => {} };
  const shared: SessionLog = { ...log, ...replaced(log) };
  return {
    clock,
    log,
    shared,
    async open(answers = [], options = {}) {
      const one = createSession(answers, { id, log: shared, ...options }, clock);
      await opened(one.session);
      return one;
    },
    async stored() {
      const { records } = await log.load(id);
      return records.flatMap((record) => record.operations);
    },
  };
}
