import type { Message, MessagePart } from '@banister/provider';
import { any, list, optional, orNull, text, wrong, type Read } from '@banister/provider/internal/json/shape';
import { compactionFields } from './read-compaction.js';
import { messageWith, partOf, readMessage } from './read-message.js';
import { turnFields } from './read-turn.js';
import { readTurnUndo } from './read-turn-undo.js';
import { base64, count, map, record } from './saved-shape.js';
import type { SavedConversation } from './saved-conversation.js';
import { messagePart, withArguments, type SavedTurn } from './saved-turn.js';
import type { RoundRecord, TurnPart, TurnRecord } from './turn-record.js';
import { COMPACTED, type AsideTurn, type Mark } from './turn-tree.js';

/** The copy of a saved conversation, before its tree is checked. */
export interface ReadFields extends Omit<SavedConversation, 'turns'> {
  readonly turns: readonly ReadTurn[];
}

/** The copy of a saved turn. */
interface ReadTurn extends Pick<AsideTurn, 'turn' | 'messages'>, Pick<SavedTurn, 'undo'> {}

/** The id of a turn or mark; null if there is none. */
const idOrNull = orNull(text);

/** A turn whose messages are read after its record, because they refer to the record. */
const savedTurn = record<Pick<SavedTurn, 'record' | 'undo'> & { readonly messages: unknown }>({
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
  session: optional(record({ fold: record({}) })),
});

function readTurn(value: unknown, at: string): ReadTurn {
  const { record: saved, messages: given, undo } = savedTurn(value, at);
  if ((saved.status === 'running') !== (saved.outcome === null))
    wrong(`${at}.record.outcome`, 'it does not fit the status');
  const rounds = saved.rounds.map(roundWithArguments);
  const readNew = messageWith({ user: partIn(rounds, 'user'), assistant: partIn(rounds, 'assistant') });
  const readOne: Read<Message> = (message, place) => {
    if (message === 'input') return saved.input;
    return Array.isArray(message) ? steeringMessage(rounds, message, place) : readNew(message, place);
  };
  const messages = list(readOne)(given, `${at}.messages`);
  const turn: TurnRecord = { ...saved, rounds, messageIds: messages.map(({ id }) => id) };
  return undo === undefined ? { turn, messages } : { turn, messages, undo };
}

/** Returns the steering message at these indexes of a round and a part. */
function steeringMessage(rounds: readonly RoundRecord[], place: readonly unknown[], at: string): Message {
  const [round, index] = place as readonly number[];
  const part = rounds[round!]?.parts[index!];
  return part?.type === 'steering' ? part.message : wrong(at, 'the turn has no such part');
}

function roundWithArguments(round: RoundRecord): RoundRecord {
  return {
    ...round,
    parts: round.parts.map((part): TurnPart => (part.type === 'tool-call' ? withArguments(part) : part)),
  };
}

/** Reads a part of a message, or two indexes that refer to a part of the record. */
function partIn(rounds: readonly RoundRecord[], role: Message['role']): Read<MessagePart> {
  return (value, at) => {
    if (!Array.isArray(value)) return partOf[role](value, at);
    const [round, index] = value as readonly number[];
    const part = rounds[round!]?.parts[index!];
    return (part && messagePart(part, role)) ?? wrong(at, 'the turn has no such part');
  };
}
