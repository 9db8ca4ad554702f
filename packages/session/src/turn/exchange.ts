import type { MessagePart, ToolCallPart, ToolResultPart } from '../conversation/content.js';
import type { Message } from '../conversation/message.js';
import { callsOf, type RoundRecord, type ToolCallView, type TurnPart } from '../conversation/turn-record.js';
import type { RequestedCall } from '../operations/tool-operations.js';
import type { Round } from './round.js';
import type { Turn } from './turn-context.js';

/**
 * A round as the messages that join the conversation: what the assistant said, and the results of its calls in call
 * order. Made from the turn's record, so that what the user saw and what the model is told are the same.
 *
 * Every call in it has a result: the batch gave one to each, run or not. An answer that broke off keeps its text only,
 * since calls and signed thinking are worth nothing in part.
 */
export function exchangeOf(turn: Turn, round: Round): readonly Message[] {
  const record: RoundRecord = turn.state().liveTurn?.rounds.at(-1) ?? { parts: [] };
  const requested = new Map(round.calls.map((call) => [call.callId, call]));
  const whole = round.finish !== null;
  const parts = record.parts.flatMap((part): readonly MessagePart[] =>
    whole || part.type === 'text' ? messagePart(part, requested) : [],
  );
  const results = callsOf(record).flatMap((call): readonly ToolResultPart[] =>
    call.result && requested.has(call.id) ? [{ type: 'tool-result', callId: call.id, ...call.result }] : [],
  );
  const { ids } = turn.ports;
  return [
    ...(parts.length === 0 ? [] : [{ id: ids.next('message'), role: 'assistant', parts } as const]),
    ...(results.length === 0 ? [] : [{ id: ids.next('message'), role: 'user', parts: results } as const]),
  ];
}

function messagePart(part: TurnPart, requested: ReadonlyMap<string, RequestedCall>): readonly MessagePart[] {
  if (part.type === 'text') return part.text === '' ? [] : [part];
  if (part.type !== 'tool-call') return [part];
  const call = requested.get(part.id);
  return call ? [callPart(part, call)] : [];
}

function callPart(
  { id, providerCallId, tool, argumentsText, ranWith }: ToolCallView,
  call: RequestedCall,
): ToolCallPart {
  return {
    type: 'tool-call',
    id,
    ...(providerCallId === undefined ? {} : { providerCallId }),
    tool,
    argumentsText,
    arguments: call.arguments,
    ...(ranWith === undefined ? {} : { ranWith }),
  };
}
