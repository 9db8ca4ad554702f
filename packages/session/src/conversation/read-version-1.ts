import { divideMessages } from './divide-messages.js';
import type { ReadConversation, ReadTurn } from './read-conversation.js';
import { checkPairs, readMessage } from './read-message.js';
import { readRecord } from './read-turn.js';
import { listOf, objectOf, textOf } from './saved-json.js';
import { stayingEffects } from './staying-effects.js';
import type { StayingEffect, TurnRecord } from './turn-record.js';

/**
 * Reads a conversation of version 1, which had a list of messages beside a list of turns. A turn that was retried, whose messages
 * were removed then, stands beside its retry; the other turns follow each other.
 */
export function readVersion1(saved: {
  readonly messages: unknown;
  readonly turns: unknown;
}): ReadConversation {
  const messages = listOf(saved.messages, 'messages').map((message, index) =>
    readMessage(message, `messages[${index}]`),
  );
  checkPairs(messages, 'messages');
  const turns = linked(listOf(saved.turns, 'turns').map((turn, index) => readTurn(turn, `turns[${index}]`)));
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
}

/** Returns a checked copy of a turn. Its parent follows from the turns before it. */
function readTurn(value: unknown, at: string): TurnRecord {
  const messageIds = listOf(objectOf(value, at).messageIds, `${at}.messageIds`).map((id) =>
    textOf(id, `${at}.messageIds`),
  );
  return { ...readRecord(value, at), messageIds, parentId: null };
}

function isRetried(turn: TurnRecord, next: TurnRecord | undefined): boolean {
  return next?.retryOf === turn.id;
}

/** Links each turn to its parent, and each retry to the effects that the attempts before it left. */
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
