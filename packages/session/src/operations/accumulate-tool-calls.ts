import { concatMap, defer, EMPTY, of, type OperatorFunction } from 'rxjs';
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
    defer(() => {
      const texts = new Map<string, string>();
      return source.pipe(
        concatMap((operation) => {
          // A round's calls are whole once they are requested; a new turn has nothing of an old one.
          if (operation.type === 'toolsRequested' || operation.type === 'turnStarted') texts.clear();
          if (operation.type !== 'toolCallPartial') return EMPTY;
          const argumentsText = (texts.get(operation.callId) ?? '') + operation.delta;
          texts.set(operation.callId, argumentsText);
          const { callId, tool, index } = operation;
          return of({ callId, toolName: tool, index, argumentsText });
        }),
      );
    });
}
