import { list, text, type Read } from '../json/shape.js';
import { checkPairs } from './check-pairs.js';
import { divideMessages } from './divide-messages.js';
import type { Message } from './message.js';
import type { ReadConversation, ReadTurn } from './read-conversation.js';
import { readMessage } from './read-message.js';
import { turnFields } from './read-turn.js';
import { record } from './saved-shape.js';
import { stayingEffects } from './staying-effects.js';
import type { StayingEffect, TurnRecord } from './turn-record.js';

const version1 = record<{ readonly messages: readonly Message[]; readonly turns: readonly TurnRecord[] }>({
  messages: list(readMessage),
  // Version 1 has no parents: they follow from the order of the turns.
  turns: list(record({ ...turnFields, messageIds: list(text), parentId: () => null })),
});

/**
 * Reads a conversation of version 1, which had a list of messages and a list of turns. At that time a retry removed the messages of the
 * retried turn, so the retried turn becomes a sibling of its retry. The other turns follow each other.
 */
export const readVersion1: Read<ReadConversation> = (value, at) => {
  const { messages, turns: read } = version1(value, at);
  checkPairs(messages, 'messages');
  const turns = linked(read);
  const path = turns.filter((turn, index) => !isRetried(turn, turns[index + 1]));
  const { prefix, ofTurns } = divideMessages(messages, path);
  const divided = new Map(path.map((turn, index) => [turn, ofTurns[index]!]));
  return {
    sequence: 0,
    head: path.at(-1)?.id ?? null,
    prefix,
    turns: turns.map((turn): ReadTurn => {
      const own = divided.get(turn) ?? (turn.messageIds.includes(turn.input.id) ? [turn.input] : []);
      return { turn: { ...turn, messageIds: own.map(({ id }) => id) }, messages: own };
    }),
    marks: [],
  };
};

function isRetried(turn: TurnRecord, next: TurnRecord | undefined): boolean {
  return next?.retryOf === turn.id;
}

/** Links each turn to its parent, and each retry to the effects that remained after the earlier attempts. */
function linked(turns: readonly TurnRecord[]): readonly TurnRecord[] {
  let parentId: string | null = null;
  let stays: readonly StayingEffect[] = [];
  return turns.map((turn, index) => {
    const own: TurnRecord = { ...turn, parentId, ...(stays.length === 0 ? {} : { stays }) };
    if (isRetried(turn, turns[index + 1])) stays = [...stays, ...stayingEffects(turn)];
    else {
      parentId = turn.id;
      stays = [];
    }
    return own;
  });
}
