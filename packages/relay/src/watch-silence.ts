import { monotonicTime, type Clock } from '@banister/provider';

/** A timer for a connection on which nothing arrives. */
export interface SilenceWatch {
  /** Whether a silence was too long. */
  readonly isOver: boolean;
  /** Allows a silence of this many milliseconds from now on. */
  within(ms: number): void;
  stop(this: void): void;
}

/** Milliseconds for reading bytes that arrived while the machine slept. */
const AWAKE_MS = 2_000;

/**
 * Calls `onSilence` when a silence is longer than allowed. If a timer fires late because the machine slept or
 * the tab was frozen, a short extra time is allowed. Bytes only move a date, because there may be thousands
 * of pieces.
 */
export function watchSilence(clock: Clock, onSilence: () => void): SilenceWatch {
  let stop: (() => void) | undefined;
  let until = 0;
  let due = 0;
  const watch = {
    isOver: false,
    within(ms: number) {
      until = monotonicTime(clock) + ms;
      // A shorter limit takes effect at once.
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
