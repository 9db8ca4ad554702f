import type { ApproveOptions, RespondOutcome } from '../guards/decision.js';
import type { ConfirmationRequest } from './confirmation-operations.js';
import { isOf, type CheckedCall, type ToolShape } from '../tools/call-of.js';
import type { ToolSchema, WrittenArguments } from '../tools/tool.js';

/** A confirmation with the types of its tool, for its call and for the arguments of `approve`. */
export type TypedConfirmation<S extends ToolSchema, Request extends ConfirmationRequest> = Omit<
  Request,
  'call' | 'approve'
> & { readonly call: CheckedCall<S> } & (Request extends { approve: unknown }
    ? {
        /** Lets the call run, with other arguments if given. Only the first decision of a request counts. */
        approve(options?: TypedApproveOptions<S>): Promise<RespondOutcome>;
      }
    : unknown);

/** The options of `approve` with the argument types of a tool. */
export type TypedApproveOptions<S extends ToolSchema> = Omit<ApproveOptions, 'arguments'> & {
  readonly arguments?: WrittenArguments<S> | undefined;
};

/**
 * If the confirmation is about a call of the tool, returns the same object, with the types of the tool. Returns null for a call of another
 * tool. The names of the tools are compared without the domain, as in `callOf`.
 *
 * @param confirmation an item of `pendingConfirmations`, or the request that the option `confirm` receives
 * @example
 * const ask = confirmationOf(addCard, confirmation);
 * if (ask) void ask.approve({ arguments: { ...ask.call.arguments, title: 'Plan' } });
 */
export function confirmationOf<S extends ToolSchema, Request extends ConfirmationRequest>(
  tool: ToolShape<S>,
  confirmation: Request,
): TypedConfirmation<S, Request> | null {
  return isOf(tool, confirmation.call) ? (confirmation as unknown as TypedConfirmation<S, Request>) : null;
}
