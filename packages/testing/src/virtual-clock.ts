import type { Clock } from '@banister/provider';
import { settle } from './settle.js';

/** A clock that stands still until a test advances it. */
export interface VirtualClock extends Clock {
  /** The number of open timers. Zero when a session is idle; otherwise the session leaks a timer. */
  readonly pending: number;
  /**
   * Advances the time by `ms` milliseconds. Runs every timer that comes due, in order of time, including timers set meanwhile. Promises
   * settle before the first timer, and after each timer.
   */
  advance(ms: number): Promise<void>;
  /** Advances the time until no timer is left. Throws after 10,000 timers, because a timer seems to set itself again forever. */
  runAll(): Promise<void>;
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Without this limit, a timer that sets itself again would hang the test run without a message. */
const MOST_TIMERS = 10_000;

/**
 * A clock for tests: every run gives the same times, and a timeout of a minute takes no time.
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
  // Timers of the same moment run in the order in which they were set.
  const timers = new Set<Timer>();
  let busy: Promise<void> = Promise.resolve();

  const next = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  };

  /** Runs the functions one after another: two at the same time would both change the time. */
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
        throw new Error(`More than ${MOST_TIMERS} timers fired: a timer sets itself again.`);
      timers.delete(timer);
      now = Math.max(now, timer.at);
      timer.callback();
      await settle();
    }
  };

  return {
    now: () => now,
    schedule(callback, ms) {
      // Like real timers: a negative or invalid delay is 0. A timer with an infinite delay never runs.
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
