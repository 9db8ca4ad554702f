import type { TurnOptions } from '../conversation/turn-record.js';
import type { GivenLimits } from '../limits/limits.js';
import type { SendOptions } from './agent-session.js';

/** Returns the options of a turn as JSON; undefined where there are none. */
export function turnOptions({ limits }: SendOptions): TurnOptions | undefined {
  const given = Object.entries(limits ?? {}).filter(([, value]) => value !== undefined);
  if (given.length === 0) return undefined;
  return {
    limits: Object.fromEntries(given.map(([name, value]) => [name, value === Infinity ? null : value!])),
  };
}

/** Returns the options for another turn like the one that had these. */
export function sendOptions({ limits }: TurnOptions = {}): SendOptions {
  if (limits === undefined) return {};
  return {
    limits: Object.fromEntries(
      Object.entries(limits).map(([name, value]) => [name, value ?? Infinity]),
    ) as GivenLimits,
  };
}
