import type { Cost } from '@banister/provider';
import { refusal } from '@banister/provider/internal/errors/checked';
import type { AskReason, ToolCall } from '../consent/confirmation-operations.js';
import type { AgentRef } from '../conversation/agent-ref.js';
import type { ForUser } from '../tools/tool-outcome.js';
import type { Capability } from '../tools/tool.js';

/** The tool call about which a guard decides. Its arguments are parsed and validated, and it has not run. */
export interface GuardedCall extends ToolCall {
  readonly capabilities: readonly Capability[];
  readonly irreversible: boolean;
  /** The agent in whose child turn the call runs; absent for a call of the session's own model. */
  readonly agent?: AgentRef;
}

/**
 * The decision of a guard: the call runs, the user is asked, or the call is denied. `confirm` is a text for the user, and `deny` a text for
 * the model. `forUser` is what the user reads about a denial.
 */
export type Verdict =
  | 'allow'
  | {
      readonly confirm: string;
      readonly cost?: Cost | undefined;
      /** The code of a built-in guard, for {@link ConfirmationRequest.because}. */
      readonly because?: AskReason | undefined;
    }
  | ({ readonly deny: string } & ForUser);

/** The second argument of a guard. */
export interface GuardContext {
  /** Fires if the turn ends before the decision. */
  readonly signal: AbortSignal;
  /**
   * The capabilities of the tools that have run in this turn until now, also in its child turns and before a reload. A call that was
   * rejected does not count.
   *
   * @example
   * const afterNetwork = defineGuard('after-network', ({ capabilities }, { ranBefore }) =>
   *   capabilities.includes('destructive') && ranBefore.includes('networking')
   *     ? { confirm: 'The agent has read from the network. Go on?' }
   *     : 'allow');
   */
  readonly ranBefore: readonly Capability[];
}

/** The function of a guard. */
export type DecideCall = (call: GuardedCall, context: GuardContext) => Verdict | Promise<Verdict>;

/**
 * Decides about a tool call before it runs. The guards of a session are called in order, then the guards of the mode, then for a call of an
 * agent the guards of the agent. The first `deny` decides; otherwise the first
 * `confirm` gives the reason for the question to the user. If a guard throws, or returns no verdict, the call is denied.
 */
export type Guard = DecideCall & {
  readonly name: string;
  /**
   * The ids of the tools that it names. `createAgentSession` throws for an unknown id, because a guard with such an id protects nothing.
   */
  readonly tools?: readonly string[];
};

/**
 * Creates a guard from a function. Operations and confirmations contain its name. Throws `invalid-configuration` without a name or a
 * function.
 *
 * @example
 * const officeHours = defineGuard('office-hours', (call) =>
 *   call.capabilities.includes('paid') && isWeekend() ? { deny: 'Not at the weekend.' } : 'allow');
 */
export function defineGuard(name: string, decide: DecideCall): Guard {
  if (typeof name !== 'string' || name === '' || typeof decide !== 'function')
    throw refusal('A guard needs a name and a function.');
  const guard: DecideCall = (call, context) => decide(call, context);
  Object.defineProperty(guard, 'name', { value: name });
  return guard as Guard;
}
