import type { TurnOptions } from '../conversation/turn-record.js';
import type { GivenTurnLimits } from '../limits/limits.js';
import type { SendOptions } from './agent-session.js';

/** Converts stored turn options back to options for `send`. */
export function sendOptions({ limits, ...options }: TurnOptions = {}): SendOptions {
  if (limits === undefined) return options;
  return {
    ...options,
    limits: Object.fromEntries(
      Object.entries(limits).map(([name, value]) => [name, value ?? Infinity]),
    ) as GivenTurnLimits,
  };
}
