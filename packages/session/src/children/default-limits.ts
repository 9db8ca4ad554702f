import { defaultLimits, type Limits } from '../limits/limits.js';
import { warn } from '../ports/warn.js';

/** The sessions that were warned about, by what each of them has alone. */
const warned = new WeakSet<object>();

/** In development, warns once about a session that runs agents under the default limits of calls and time, which all agents of a turn share. */
export function warnOfDefaults(session: object, { maxToolCalls, timeoutMs }: Limits): void {
  const areDefaults = maxToolCalls === defaultLimits.maxToolCalls && timeoutMs === defaultLimits.timeoutMs;
  if (!areDefaults || warned.has(session)) return;
  warned.add(session);
  warn(
    `All agents of a turn together have ${maxToolCalls} tool calls and ${timeoutMs / 1000} seconds, the defaults for one agent. Set maxToolCalls and timeoutMs beside agents.`,
  );
}
