import type { ApproveOptions, RespondOutcome } from '../guards/decision.js';
import type { ConfirmationRequest } from '../operations/confirmation-operations.js';
import { isOf, type CheckedCall, type ToolShape } from '../tools/call-of.js';
import type { ToolSchema, WrittenArguments } from '../tools/tool.js';

/** A confirmation with the types of its tool: those of its call, and those of the arguments that an approval may give. */
export type TypedConfirmation<S extends ToolSchema, Request extends ConfirmationRequest> = Omit<
  Request,
  'call' | 'approve'
> & { readonly call: CheckedCall<S> } & (Request extends { approve: unknown }
    ? {
        /** Lets the call run, with other arguments if given. Only the first decision of a request counts. */
        approve(options?: TypedApproveOptions<S>): Promise<RespondOutcome>;
      }
    : unknown);

/** The options of an approval with the types of a tool. */
export type TypedApproveOptions<S extends ToolSchema> = Omit<ApproveOptions, 'arguments'> & {
  readonly arguments?: WrittenArguments<S> | undefined;
};

/**
 * Returns a confirmation with the types of its tool; null for a call of another tool. It is the same object. Names are compared without the
 * domain, as by `callOf`.
 *
 * @param confirmation one of `pendingConfirmations`, or the request that the option `confirm` gets
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
