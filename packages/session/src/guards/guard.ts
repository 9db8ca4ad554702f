import type { Cost } from '../conversation/usage-report.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { ToolCall } from '../operations/confirmation-operations.js';
import type { Capability } from '../tools/tool.js';

/** A tool call as a guard sees it: parsed, validated, not yet run. */
export interface GuardedCall extends ToolCall {
  readonly capabilities: readonly Capability[];
  readonly irreversible: boolean;
}

/** The decision of a guard: the call runs, the user is asked, or the call is denied. */
export type Verdict =
  'allow' | { readonly confirm: string; readonly cost?: Cost | undefined } | { readonly deny: string };

export type DecideCall = (
  call: GuardedCall,
  context: { readonly signal: AbortSignal },
) => Verdict | Promise<Verdict>;

/**
 * Decides about a tool call before it runs. All guards are asked, in order: any deny wins, else the first confirm owns
 * the prompt. A guard that throws, or answers something else, denies.
 */
export type Guard = DecideCall & {
  readonly name: string;
  /** The tools that it is about, where it names them: a session that lacks one refuses the guard, which would protect nothing. */
  readonly tools?: readonly string[];
};

/**
 * Names a guard, for the audit.
 *
 * @example
 * const officeHours = defineGuard('office-hours', (call) =>
 *   call.capabilities.includes('paid') && isWeekend() ? { deny: 'Not at the weekend.' } : 'allow');
 */
export function defineGuard(name: string, decide: DecideCall): Guard {
  if (typeof name !== 'string' || name === '' || typeof decide !== 'function') {
    throw new AgentSessionError('invalid-configuration', 'A guard needs a name and a function.');
  }
  const guard: DecideCall = (call, context) => decide(call, context);
  Object.defineProperty(guard, 'name', { value: name });
  return guard as Guard;
}
