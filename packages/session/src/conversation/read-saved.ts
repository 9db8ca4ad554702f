import type { Message, MessagePart } from '@banister/provider';
import { any, list, optional, orNull, text, wrong, type Read } from '@banister/provider/internal/json/shape';
import { compactionFields } from './read-compaction.js';
import { messageWith, partOf, readMessage } from './read-message.js';
import { turnFields } from './read-turn.js';
import { readTurnUndo } from './read-turn-undo.js';
import { base64, count, deepJson, isCount, map, record } from './saved-shape.js';
import type { SavedConversation } from './saved-conversation.js';
import { messagePart, withArguments, type SavedTurn } from './saved-turn.js';
import { mapCalls } from './map-calls.js';
import type { TurnPart, TurnRecord } from './turn-record.js';
import { COMPACTED, type AsideTurn, type Mark } from './turn-tree.js';

/** The copy of a saved conversation, before its tree is checked. */
export interface ReadFields extends Omit<SavedConversation, 'turns'> {
  readonly turns: readonly ReadTurn[];
}

/** The copy of a saved turn. */
interface ReadTurn extends Pick<AsideTurn, 'turn' | 'messages'>, Pick<SavedTurn, 'undo'> {}

/** The copy of a record, to which this file adds. */
type OwnTurn = { -readonly [Field in keyof TurnRecord]: TurnRecord[Field] };

/** The record to which the messages that are being read refer. With readers of its own, each turn would take several times as long. */
let read: OwnTurn;

const readNew = messageWith({ user: partIn('user'), assistant: partIn('assistant') });

const readMessages = list<Message>((message, at) => {
  if (message === 'input') return read.input;
  if (!Array.isArray(message)) return readNew(message, at);
  const part = partAt(message);
  return part?.type === 'steering' ? part.message : wrong(at, 'the turn has no such part');
});

/** The id of a turn or mark; null if there is none. */
const idOrNull = orNull(text);

/** A turn whose messages are read after its record, because they refer to the record. */
const savedTurn = record<Pick<ReadTurn, 'undo'> & { readonly record: OwnTurn; readonly messages: unknown }>({
  record: record({ ...turnFields, parentId: idOrNull }),
  messages: any,
  undo: optional(readTurnUndo),
});

const markFields = { id: text, kind: text, parentId: idOrNull };
const mark = record<Mark>(markFields);
const compactionMark = record<Mark>({ ...compactionFields, ...markFields });

const readMark: Read<Mark> = (value, at) =>
  ((value as Partial<Mark> | null)?.kind === COMPACTED ? compactionMark : mark)(value, at);

/** Reads the fields of a saved conversation: see `SavedConversation`. */
export const readFields = record<ReadFields>({
  sequence: count,
  head: idOrNull,
  prefix: list(readMessage),
  turns: list(readTurn),
  marks: list(readMark),
  redo: list(text),
  attachments: optional(map(record({ mediaType: text, data: base64 }))),
  session: optional(record({ fold: record({}, optional(deepJson)) }, optional(deepJson))),
});

function readTurn(value: unknown, at: string): ReadTurn {
  const { record: turn, messages: given, undo } = savedTurn(value, at);
  if ((turn.status === 'running') !== (turn.outcome === null))
    wrong(`${at}.record.outcome`, 'it does not fit the status');
  turn.rounds = mapCalls(turn, withArguments).rounds;
  read = turn;
  const messages = readMessages(given, `${at}.messages`);
  turn.messageIds = messages.map(({ id }) => id);
  return undo === undefined ? { turn, messages } : { turn, messages, undo };
}

/** Returns the part of the record of the turn at these indexes of a round and a part. */
function partAt([round, index, ...more]: readonly unknown[]): TurnPart | undefined {
  // An index that is a string would name a member of the prototype of lists.
  return isCount(round) && isCount(index) && more.length === 0 ? read.rounds[round]?.parts[index] : undefined;
}

/** Reads a part of a message, or two indexes that refer to a part of the record. */
function partIn(role: Message['role']): Read<MessagePart> {
  return (value, at) => {
    if (!Array.isArray(value)) return partOf[role](value, at);
    const part = partAt(value);
    return (part && messagePart(part, role)) ?? wrong(at, 'the turn has no such part');
  };
}
