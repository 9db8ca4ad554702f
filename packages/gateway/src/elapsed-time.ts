import type { Clock } from '@handrail/session/provider';

/** Returns the milliseconds of a clock that is never set; only the difference of two has a meaning. */
export function elapsedTime(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now();
}
