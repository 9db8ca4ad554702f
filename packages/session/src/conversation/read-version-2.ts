import type { JsonObject } from '../json/json.js';
import type { MessagePart } from './content.js';
import type { Message } from './message.js';
import type { ReadConversation, ReadTurn } from './read-conversation.js';
import { readMessage, readPart } from './read-message.js';
import { readRecord } from './read-turn.js';
import { readTurnUndo } from './read-turn-undo.js';
import { copyOf, idOrNull, listOf, objectOf, textsOf, wrong } from './saved-json.js';
import { messagePart, withArguments } from './saved-turn.js';
import type { RoundRecord, TurnPart, TurnRecord } from './turn-record.js';
import type { Mark } from './turn-tree.js';

/** Reads a conversation of version 2: see `SavedConversation`. */
export function readVersion2(saved: JsonObject | { readonly [field: string]: unknown }): ReadConversation {
  const { sequence, head } = saved;
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 0)
    return wrong('sequence', 'it is no count');
  return {
    sequence,
    head: idOrNull(head, 'head'),
    prefix: listOf(saved.prefix, 'prefix').map((message, index) => readMessage(message, `prefix[${index}]`)),
    turns: listOf(saved.turns, 'turns').map((turn, index) => readSavedTurn(turn, `turns[${index}]`)),
    marks: listOf(saved.marks, 'marks').map((mark, index) => readMark(mark, `marks[${index}]`)),
  };
}

function readSavedTurn(value: unknown, at: string): ReadTurn {
  const { record: given, messages: saved, undo } = objectOf(value, at);
  const parentId = idOrNull(objectOf(given, `${at}.record`).parentId, `${at}.record.parentId`);
  const read = readRecord(given, `${at}.record`);
  const record = { ...read, rounds: read.rounds.map(roundWithArguments) };
  const messages = listOf(saved, `${at}.messages`).map((message, index) =>
    message === 'input'
      ? record.input
      : Array.isArray(message)
        ? steeringMessage(message, record.rounds, `${at}.messages[${index}]`)
        : readMessage(message, `${at}.messages[${index}]`, (part, partAt, role) =>
            Array.isArray(part) ? referencedPart(part, record.rounds, role, partAt) : readPart(part, partAt),
          ),
  );
  const turn: TurnRecord = { ...record, parentId, messageIds: messages.map(({ id }) => id) };
  return undo === undefined ? { turn, messages } : { turn, messages, undo: readTurnUndo(undo, `${at}.undo`) };
}

function roundWithArguments(round: RoundRecord): RoundRecord {
  return {
    ...round,
    parts: round.parts.map((part): TurnPart => (part.type === 'tool-call' ? withArguments(part) : part)),
  };
}

/** Returns the message with which the user steered, for the numbers of its round and part. */
function steeringMessage(place: readonly unknown[], rounds: readonly RoundRecord[], at: string): Message {
  const [round, index] = place as readonly number[];
  const part = rounds[round!]?.parts[index!];
  return part?.type === 'steering' ? part.message : wrong(at, 'the turn has no such part');
}

/** Returns the part of a message that a pair of numbers stands for. */
function referencedPart(
  place: readonly unknown[],
  rounds: readonly RoundRecord[],
  role: Message['role'],
  at: string,
): MessagePart {
  const [round, index] = place as readonly number[];
  const part = rounds[round!]?.parts[index!];
  const found = part === undefined ? undefined : messagePart(part, role);
  if (found === undefined) return wrong(at, 'the turn has no such part');
  if (found.type === 'text' && found.text === '') return wrong(at, 'it is empty');
  return found;
}

/** Returns a checked copy of a mark, of any kind. */
function readMark(value: unknown, at: string): Mark {
  const mark = textsOf(copyOf(value, at), ['id', 'kind'], at);
  idOrNull(mark.parentId, `${at}.parentId`);
  return mark as unknown as Mark;
}
