import { defaultLimits, type Limits } from '../limits/limits.js';
import { warn } from '../ports/warn.js';

/** The hosts of the sessions that were warned about. */
const warned = new WeakSet<object>();

/** In development, warns once about a session that runs agents under the default limits of calls and time, which all agents of a turn share. */
export function warnOfDefaults(host: object, { maxToolCalls, timeoutMs }: Limits): void {
  const areDefaults = maxToolCalls === defaultLimits.maxToolCalls && timeoutMs === defaultLimits.timeoutMs;
  if (!areDefaults || warned.has(host)) return;
  warned.add(host);
  warn(
    `All agents of a turn together have ${maxToolCalls} tool calls and ${timeoutMs / 1000} seconds, the defaults for one agent. Set maxToolCalls and timeoutMs beside agents.`,
  );
}
