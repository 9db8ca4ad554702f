import type { OperatorFunction } from 'rxjs';
import { Observable } from './observable.js';
import type { Operation } from './operation.js';

/** A tool call's arguments as far as they have come. */
export interface AccumulatedToolCall {
  readonly callId: string;
  readonly toolName: string;
  readonly index: number;
  readonly argumentsText: string;
}

/**
 * Turns the deltas of tool calls into their texts so far.
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
          // A round's calls are whole once they are requested; a new turn has nothing of an old one.
          if (operation.type === 'toolsRequested' || operation.type === 'turnStarted') texts.clear();
          if (operation.type !== 'toolCallPartial') return;
          const { callId, tool, index, delta } = operation;
          const argumentsText = (texts.get(callId) ?? '') + delta;
          texts.set(callId, argumentsText);
          subscriber.next({ callId, toolName: tool, index, argumentsText });
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
}
