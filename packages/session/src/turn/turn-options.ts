import type { ToolChoice } from '@banister/provider';
import type { TurnOptions } from '../conversation/turn-record.js';
import type { GivenTurnLimits } from '../limits/limits.js';

/** The options of a turn as they are given. */
interface GivenOptions {
  readonly limits?: GivenTurnLimits | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly directives?: readonly string[] | undefined;
  readonly use?: readonly string[] | undefined;
  readonly commit?: 'review' | undefined;
}

/** Returns the options of a turn as JSON; undefined if there are none. */
export function turnOptions({
  limits,
  toolChoice = 'auto',
  directives = [],
  use = [],
  commit,
}: GivenOptions): TurnOptions | undefined {
  const given = Object.entries(limits ?? {}).filter(([, value]) => value !== undefined);
  const options = {
    ...(given.length > 0 && {
      limits: Object.fromEntries(given.map(([name, value]) => [name, value === Infinity ? null : value!])),
    }),
    ...(toolChoice !== 'auto' && {
      toolChoice: typeof toolChoice === 'string' ? toolChoice : { tool: toolChoice.tool },
    }),
    ...(directives.length > 0 && { directives: [...directives] }),
    ...(use.length > 0 && { use: [...use] }),
    ...(commit === 'review' && { commit }),
  };
  return Object.keys(options).length === 0 ? undefined : options;
}
