import type { Message, MessagePart, ToolCallPart, ToolResultPart } from '@banister/provider';
import { defined } from '@banister/provider/internal/json/defined';
import { sameJson } from '@banister/provider/internal/json/same-json';
import { parseArguments, type ParsedArguments } from './parse-arguments.js';
import { mapCalls } from './map-calls.js';
import type { RoundRecord, ToolCallView, TurnPart, TurnRecord } from './turn-record.js';
import type { TurnUndo } from './turn-undo.js';

/** A turn in a saved conversation. It contains each text and each image only once. */
export interface SavedTurn {
  /** The record. A call has no `arguments` if they are the same as in its text. */
  readonly record: Omit<TurnRecord, 'messageIds'>;
  /** The messages that the turn appended. `input` refers to the user message in the record, and two indexes refer to a steering message. */
  readonly messages: readonly (SavedMessage | 'input' | PartReference)[];
  /** The effects of the turn; absent if it had none. */
  readonly undo?: TurnUndo;
}

/** A message whose parts mostly refer to parts of the record. */
export interface SavedMessage extends Omit<Message, 'parts'> {
  readonly parts: readonly (MessagePart | PartReference)[];
}

/**
 * The indexes of a round and of one of its parts. A reference to a text means the text. A reference to a call means the call, or its result
 * in a user message.
 */
export type PartReference = readonly [round: number, part: number];

/** A saved form, and the objects from which it was made. */
interface Made {
  readonly messages: readonly Message[];
  readonly undo: TurnUndo | undefined;
  readonly saved: SavedTurn;
}

/** The saved form of each record. Records do not change. */
const made = new WeakMap<TurnRecord, Made>();

/** Returns the saved form of a turn. */
export function saveTurn(
  turn: TurnRecord,
  messages: readonly Message[],
  undo: TurnUndo | undefined,
): SavedTurn {
  const known = made.get(turn);
  const isSame = known !== undefined && sameItems(known.messages, messages);
  if (isSame && known.undo === undo) return known.saved;
  // The effects of a turn change with each later turn; the rest of its saved form does not.
  const { record, messages: parts } = isSame ? known.saved : savedFormOf(turn, messages);
  const saved = defined({ record, messages: parts, undo });
  made.set(turn, { messages, undo, saved });
  return saved;
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function savedFormOf(turn: TurnRecord, messages: readonly Message[]): SavedTurn {
  const { messageIds: _ids, ...record } = turn;
  const placeOf = placesIn(turn.rounds);
  return {
    record: mapCalls(record, withoutKnownArguments),
    messages: messages.map((message) =>
      sameJson(message, turn.input)
        ? 'input'
        : (steeringPlace(turn.rounds, message) ?? {
            ...message,
            parts: message.parts.map((part) => placeOf(part, message.role) ?? part),
          }),
    ),
  };
}

/** Returns a function that finds the part of a record from which a part of a message was made. */
function placesIn(rounds: readonly RoundRecord[]) {
  const places = new Map<string, PartReference>();
  rounds.forEach(({ parts }, round) => {
    parts.forEach((part, index) => places.set(keyOf(part), [round, index]));
  });
  return (part: MessagePart, role: Message['role']): PartReference | undefined => {
    const place = places.get(keyOf(part));
    if (place === undefined) return undefined;
    const same = messagePart(rounds[place[0]]!.parts[place[1]]!, role);
    return sameJson(same, part) ? place : undefined;
  };
}

/** Returns the indexes of the round and the part of a steering message. */
function steeringPlace(rounds: readonly RoundRecord[], message: Message): PartReference | undefined {
  if (message.role === 'assistant') return undefined;
  for (const [round, { parts }] of rounds.entries()) {
    const part = parts.findIndex((one) => one.type === 'steering' && sameJson(one.message, message));
    if (part >= 0) return [round, part];
  }
  return undefined;
}

/** Returns a key that is equal for a part of a record and the part of a message that was made from it. */
function keyOf(part: MessagePart | TurnPart): string {
  switch (part.type) {
    case 'text':
    case 'thinking':
      return `${part.type} ${part.text}`;
    case 'tool-call':
      return `call ${part.id}`;
    case 'tool-result':
      return `call ${part.callId}`;
    case 'steering':
      return `steering ${part.message.id}`;
    default:
      return JSON.stringify(part);
  }
}

/** Returns the part of a message for a part of the record; undefined if messages of this role have none. */
export function messagePart(part: TurnPart, role: Message['role']): MessagePart | undefined {
  if (part.type === 'steering') return undefined;
  if (part.type !== 'tool-call') return role === 'assistant' ? part : undefined;
  return role === 'assistant' ? callPart(part) : resultPart(part);
}

function callPart(call: ToolCallView): ToolCallPart {
  const { id, providerCallId, tool, hosted, argumentsText, ranWith } = call;
  const parsed = parsedArguments(call);
  return {
    type: 'tool-call',
    id,
    ...(providerCallId === undefined ? {} : { providerCallId }),
    tool,
    ...(hosted ? { hosted } : {}),
    argumentsText,
    arguments: parsed.ok ? parsed.value : null,
    ...(ranWith === undefined ? {} : { ranWith }),
  };
}

function resultPart({ id, result }: ToolCallView): ToolResultPart | undefined {
  if (result === undefined) return undefined;
  const { outcome, content } = result;
  return { type: 'tool-result', callId: id, outcome, content };
}

/** The parsed arguments of each call, because they are needed more than once. */
const parsed = new WeakMap<ToolCallView, ParsedArguments>();

function parsedArguments(call: ToolCallView): ParsedArguments {
  let known = parsed.get(call);
  if (known === undefined) parsed.set(call, (known = parseArguments(call.argumentsText)));
  return known;
}

/** Leaves out the arguments of a call if {@link withArguments} can restore from its text. */
function withoutKnownArguments(call: ToolCallView): ToolCallView {
  if (call.arguments === undefined) return call;
  const { arguments: given, ...rest } = call;
  return sameJson(withArguments(rest).arguments, given) ? rest : call;
}

/** Adds the arguments from the text of a call. A call that was still assembling keeps the arguments in its record. */
export function withArguments(call: ToolCallView): ToolCallView {
  if (call.arguments !== undefined || call.state === 'assembling') return call;
  const found = parsedArguments(call);
  return found.ok ? { ...call, arguments: found.value } : call;
}
