import type { TurnOptions } from '../conversation/turn-record.js';
import type { GivenTurnLimits } from '../limits/limits.js';
import type { SendOptions } from './agent-session.js';

/** Returns the options of a turn as JSON; undefined if there are none. */
export function turnOptions({
  limits,
  toolChoice = 'auto',
  directives = [],
  commit,
}: SendOptions): TurnOptions | undefined {
  const given = Object.entries(limits ?? {}).filter(([, value]) => value !== undefined);
  const options = {
    ...(given.length > 0 && {
      limits: Object.fromEntries(given.map(([name, value]) => [name, value === Infinity ? null : value!])),
    }),
    ...(toolChoice !== 'auto' && {
      toolChoice: typeof toolChoice === 'string' ? toolChoice : { tool: toolChoice.tool },
    }),
    ...(directives.length > 0 && { directives: [...directives] }),
    ...(commit === 'review' && { commit }),
  };
  return Object.keys(options).length === 0 ? undefined : options;
}

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
