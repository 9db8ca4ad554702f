import { monotonicTime, type Clock } from '@banister/provider';

/** A timer for a connection on which nothing comes. */
export interface SilenceWatch {
  /** Whether a silence was too long. */
  readonly isOver: boolean;
  /** Permits a silence of this many milliseconds from now on. */
  within(ms: number): void;
  stop(this: void): void;
}

/** Milliseconds for bytes that arrived while the machine slept, and that are not read yet. */
const AWAKE_MS = 2_000;

/**
 * Calls back when a silence is longer than permitted. A timer that fires late, since the machine slept or the tab was frozen, permits a short time
 * more. Bytes only move a date: there may be thousands of pieces.
 */
export function watchSilence(clock: Clock, onSilence: () => void): SilenceWatch {
  let stop: (() => void) | undefined;
  let until = 0;
  let due = 0;
  const watch = {
    isOver: false,
    within(ms: number) {
      until = monotonicTime(clock) + ms;
      // A shorter permission takes effect at once.
      if (stop === undefined || until < due) wait(ms);
    },
    stop: () => stop?.(),
  };
  const wait = (ms: number) => {
    stop?.();
    due = monotonicTime(clock) + ms;
    stop = clock.schedule(check, ms);
  };
  const check = () => {
    const now = monotonicTime(clock);
    if (now > due + AWAKE_MS) until = Math.max(until, now + AWAKE_MS);
    if (now < until) wait(until - now);
    else {
      watch.isOver = true;
      onSilence();
    }
  };
  return watch;
}
