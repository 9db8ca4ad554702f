import type { Clock } from '@banister/session';
import { settle } from './settle.js';

/** A clock that stands still until a test moves it. */
export interface VirtualClock extends Clock {
  /** Timers that are open. Zero once a session is idle, else it leaks one. */
  readonly pending: number;
  /**
   * Moves time on by `ms` milliseconds. Runs every timer that comes due, in order of time, those set meanwhile included;
   * promises settle before the first one, and after each.
   */
  advance(ms: number): Promise<void>;
  /** Moves time on until no timer is left. Throws after 10,000 timers: something sets a new one for ever. */
  runAll(): Promise<void>;
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A loop that re-arms itself would otherwise hang the test run without a word. */
const MOST_TIMERS = 10_000;

/**
 * A clock for tests: the same run gives the same times, and a timeout of a minute takes no time at all.
 *
 * @param start milliseconds since the epoch
 * @example
 * const clock = createVirtualClock();
 * const session = createAgentSession({ provider, ports: { clock } });
 * session.send('Hello').catch(() => {});
 * await clock.advance(60_000);
 * console.log(session.lastError.value?.code); // 'timeout'
 * console.log(clock.pending); // 0
 */
export function createVirtualClock(start: number = 0): VirtualClock {
  let now = start;
  // Insertion order breaks ties: timers of the same moment fire in the order in which they were set.
  const timers = new Set<Timer>();
  let busy: Promise<void> = Promise.resolve();

  const next = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  };

  /** Runs one after the other: two calls at once would each move the time under the other's feet. */
  const inTurn = (run: () => Promise<void>): Promise<void> => {
    const done = busy.then(run);
    busy = done.catch(() => {});
    return done;
  };

  const runUntil = async (end: () => number): Promise<void> => {
    await settle();
    let fired = 0;
    for (let timer = next(); timer !== undefined && timer.at <= end(); timer = next()) {
      if (++fired > MOST_TIMERS)
        throw new Error(`More than ${MOST_TIMERS} timers fired: one sets itself again.`);
      timers.delete(timer);
      now = Math.max(now, timer.at);
      timer.callback();
      await settle();
    }
  };

  return {
    now: () => now,
    schedule(callback, ms) {
      // As with real timers: what is not a delay is none, and what is endless never comes.
      if (ms === Infinity) return () => {};
      const timer = { at: now + (ms > 0 ? ms : 0), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    get pending() {
      return timers.size;
    },
    advance: (ms) =>
      inTurn(async () => {
        const end = now + ms;
        await runUntil(() => end);
        now = end;
      }),
    runAll: () => inTurn(() => runUntil(() => Infinity)),
  };
}
