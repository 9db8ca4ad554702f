import type { OperatorFunction } from 'rxjs';
import { Observable } from './observable.js';
import type { Operation } from './operation.js';

/** The arguments of a tool call that have arrived until now. */
export interface AccumulatedToolCall {
  readonly callId: string;
  /** The server's own id of the call, if it gave one. */
  readonly providerCallId?: string;
  readonly toolName: string;
  /** 0-based position among the calls of the round. */
  readonly index: number;
  /** The text until now: the start of a JSON object until the call is complete. */
  readonly argumentsText: string;
}

/**
 * An operator that emits, for each piece of a tool call, the text of its arguments that has arrived until now. Other operations are dropped.
 *
 * @example
 * session.operations$.pipe(accumulateToolCalls()).subscribe((call) => preview(call.toolName, call.argumentsText));
 */
export function accumulateToolCalls(): OperatorFunction<Operation, AccumulatedToolCall> {
  return (source) =>
    new Observable((subscriber) => {
      const texts = new Map<string, string>();
      return source.subscribe({
        next: (operation) => {
          // When the calls of a round are requested they are complete, and no text is needed after its turn.
          if (operation.type === 'toolsRequested' || operation.type === 'turnStarted') texts.clear();
          if (operation.type !== 'toolCallPartial') return;
          const { callId, providerCallId, tool, index, delta } = operation;
          const argumentsText = (texts.get(callId) ?? '') + delta;
          texts.set(callId, argumentsText);
          const id = providerCallId === undefined ? {} : { providerCallId };
          subscriber.next({ callId, ...id, toolName: tool, index, argumentsText });
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
}
