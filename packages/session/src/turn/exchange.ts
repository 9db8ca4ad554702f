import type { Message, MessagePart, ToolCallPart, ToolResultPart } from '@banister/provider';
import { defined } from '@banister/provider/internal/json/defined';
import { isJsonObject } from '@banister/provider/internal/json/json';
import type { RoundRecord, ToolCallView, TurnPart } from '../conversation/turn-record.js';
import type { Turn } from './turn-context.js';

type ExchangingTurn = Pick<Turn, 'state' | 'current' | 'ports'>;

/**
 * Returns the messages of a round for the conversation: the parts of the assistant, and the results of its calls in call order. They are
 * built from the turn's record, so that the user and the model read the same. If the model made calls inside its own session, the parts
 * after their results start another message, because every API accepts this form.
 *
 * Each call has a result: the batch gives one to each call, whether it ran or not. Of an interrupted answer, the text and the calls made
 * inside it are kept; its other calls and its signed thinking are incomplete and left out. Of a withheld answer, only the calls made inside
 * it are kept, because APIs refuse calls without the thinking before them.
 */
export function exchangeOf({ state, current, ports }: ExchangingTurn): readonly Message[] {
  const record: RoundRecord = state().liveTurn?.rounds.at(-1) ?? { parts: [] };
  const round = current().fold.turn?.round ?? null;
  if (round === null) return [];
  const inner = new Set(round.innerCalls);
  const unparsable = new Set(round.unparsable);
  const whole = round.finish !== null;
  const { ids } = ports;
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
    const isInner = part.type === 'tool-call' && inner.has(part.id);
    const isKept = isInner || (!round.withheld && (whole || part.type === 'text'));
    const said = isKept ? messagePart(part, unparsable) : [];
    if (said.length === 0) continue;
    if (answeredInside && (!isInner || round.opensMessage.includes(part.id))) close();
    parts.push(...said);
    if (part.type !== 'tool-call' || part.result === undefined) continue;
    const { outcome, content } = part.result;
    results.push({ type: 'tool-result', callId: part.id, outcome, content });
    answeredInside ||= isInner;
  }
  close();
  return messages;
}

function messagePart(part: TurnPart, unparsable: ReadonlySet<string>): readonly MessagePart[] {
  if (part.type === 'text') return part.text === '' ? [] : [part];
  if (part.type === 'steering') return [];
  if (part.type !== 'tool-call') return [part];
  return [callPart(part, unparsable.has(part.id))];
}

function callPart(
  { id, providerCallId, tool, hosted, argumentsText, ranWith, arguments: parsed }: ToolCallView,
  isUnparsable: boolean,
): ToolCallPart {
  return defined({
    type: 'tool-call',
    id,
    providerCallId,
    tool,
    hosted,
    argumentsText,
    arguments: isUnparsable || !isJsonObject(parsed) ? null : parsed,
    ranWith,
  });
}
