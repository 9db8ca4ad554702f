import type { MessagePart, ToolCallPart, ToolResultPart } from '../conversation/content.js';
import type { Message } from '../conversation/message.js';
import type { RoundRecord, ToolCallView, TurnPart } from '../conversation/turn-record.js';
import { defined } from '../json/defined.js';
import type { RequestedCall } from '../operations/tool-operations.js';
import type { Round, Turn } from './turn-context.js';

/**
 * Returns the messages of a round for the conversation: the parts of the assistant, and the results of its calls in call order.
 * They are made from the turn's record, so that the user and the model read the same. Where the model made calls inside its own
 * session, the parts after their results begin a further message, which is the form that every API accepts.
 *
 * Each call has a result: the batch gives one to each, whether it ran or not. Of an answer that broke off, the text and the calls
 * that were made inside it are kept; its other calls and its signed thinking are incomplete and left out.
 */
export function exchangeOf(turn: Turn, round: Round): readonly Message[] {
  const record: RoundRecord = turn.state().liveTurn?.rounds.at(-1) ?? { parts: [] };
  const inner = new Map(round.innerCalls.map((call) => [call.requested.callId, call]));
  const requested = new Map(
    [...round.innerCalls.map((call) => call.requested), ...round.calls].map((call) => [call.callId, call]),
  );
  const whole = round.finish !== null;
  const { ids } = turn.ports;
  const messages: Message[] = [];
  let parts: MessagePart[] = [];
  let results: ToolResultPart[] = [];
  let answeredInside = false;
  const close = () => {
    if (parts.length > 0) messages.push({ id: ids.next('message'), role: 'assistant', parts });
    if (results.length > 0) messages.push({ id: ids.next('message'), role: 'user', parts: results });
    [parts, results, answeredInside] = [[], [], false];
  };
  for (const part of record.parts) {
    const call = part.type === 'tool-call' ? inner.get(part.id) : undefined;
    const said = whole || part.type === 'text' || call ? messagePart(part, requested) : [];
    if (said.length === 0) continue;
    if (answeredInside && (call === undefined || call.opensMessage)) close();
    parts.push(...said);
    if (part.type !== 'tool-call' || part.result === undefined) continue;
    results.push({ type: 'tool-result', callId: part.id, ...part.result });
    answeredInside ||= call !== undefined;
  }
  close();
  return messages;
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
  return defined({
    type: 'tool-call',
    id,
    providerCallId,
    tool,
    argumentsText,
    arguments: call.arguments,
    ranWith,
  });
}
