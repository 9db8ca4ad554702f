import type { Message, MessagePart } from '@banister/provider';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { any, orNull, text, wrong, type Read } from '@banister/provider/internal/json/shape';
import { compactionFields } from './read-compaction.js';
import { messageWith, partOf, readMessage } from './read-message.js';
import { checkOutcome, readRecord } from './read-turn.js';
import { readTurnUndo } from './read-turn-undo.js';
import { base64, count, deepJson, isCount, list, map, record, within } from './saved-shape.js';
import type { SavedConversation } from './saved-conversation.js';
import { messagePart, type SavedTurn } from './saved-turn.js';
import { allCallsOf, type TurnPart, type TurnRecord } from './turn-record.js';
import { COMPACTED, type AsideTurn, type Mark } from './turn-tree.js';

/** The copy of a saved conversation, before its tree is checked. */
export interface ReadFields extends Omit<SavedConversation, 'turns'> {
  readonly turns: readonly ReadTurn[];
}

/** The copy of a saved turn. */
interface ReadTurn extends Pick<AsideTurn, 'turn' | 'messages'> {
  readonly undo: SavedTurn['undo'] | undefined;
}

/** The record to which the messages that are being read refer. With readers of its own, each turn would take several times as long. */
let read: Omit<TurnRecord, 'messageIds'>;

const readNew = messageWith({ user: partIn('user'), assistant: partIn('assistant') });

const readMessages = list<Message>((message) => {
  if (message === 'input') return read.input;
  if (!Array.isArray(message)) return readNew(message, '');
  const part = partAt(message);
  return part?.type === 'steering' ? part.message : wrong('', 'the turn has no such part');
});

/** The id of a turn or mark; null if there is none. */
const idOrNull = orNull(text);

/** A turn whose messages are read after its record, because they refer to the record. */
const savedTurn = record<
  Pick<ReadTurn, 'undo'> & { readonly record: typeof read; readonly messages: unknown }
>({ record: readRecord, messages: any }, { undo: readTurnUndo });

const markFields = { id: text, kind: text, parentId: idOrNull };
const mark = record<Mark>(markFields);
const [required, possible] = compactionFields;
const compactionMark = record<Mark>({ ...required, ...markFields }, possible);

const readMark: Read<Mark> = (value, at) =>
  ((value as Partial<Mark> | null)?.kind === COMPACTED ? compactionMark : mark)(value, at);

/** Reads the fields of a saved conversation: see `SavedConversation`. */
export const readFields = record<ReadFields>(
  {
    sequence: count,
    head: idOrNull,
    prefix: list(readMessage),
    turns: list(readTurn),
    marks: list(readMark),
    redo: list(text),
  },
  {
    attachments: map(record({ mediaType: text, data: base64 })),
    session: record({ fold: map(deepJson) }, {}, deepJson),
  },
);

function readTurn(value: unknown): ReadTurn {
  const { record: given, messages: saved, undo } = savedTurn(value, '');
  within('record', () => {
    checkOutcome(given);
    checkIds(given);
  });
  read = given;
  const messages = within('messages', () => readMessages(saved, ''));
  const turn: TurnRecord = Object.freeze({
    ...given,
    messageIds: Object.freeze(messages.map(({ id }) => id)),
  });
  return { turn, messages, undo };
}

/** Checks that no id of a child turn or of a call occurs twice, at any depth. The calls of a turn without child turns are in its messages. */
function checkIds(turn: Pick<TurnRecord, 'rounds'>): void {
  const calls = allCallsOf(turn);
  const children = calls.flatMap((call) => call.children ?? []);
  if (children.length === 0) return;
  for (const [kind, items] of [
    ['call', calls],
    ['child turn', children],
  ] as const) {
    const seen = new Set<string>();
    for (const { id } of items) {
      if (seen.has(id)) wrong('rounds', `the ${kind} ${id} stands in it a second time`);
      seen.add(id);
    }
  }
}

/** Returns the part of the record of the turn at these indexes of a round and a part. */
function partAt(indexes: readonly unknown[]): TurnPart | undefined {
  const round = indexes[0];
  const index = indexes[1];
  // An index that is a string would name a member of the prototype of lists.
  return indexes.length === 2 && isCount(round) && isCount(index)
    ? read.rounds[round]?.parts[index]
    : undefined;
}

/** Reads a part of a message, or two indexes that refer to a part of the record. */
function partIn(role: Message['role']): Read<MessagePart> {
  return (value) => {
    if (!Array.isArray(value)) return partOf[role](value, '');
    const part = partAt(value);
    const found = part && messagePart(part, role);
    return deepFreeze(found ?? wrong('', 'the turn has no such part'));
  };
}
