import type { Attachments, JsonObject, Message } from '@banister/provider';
import { defined } from '@banister/provider/internal/json/defined';
import { attachmentIdsOf, attachmentOf } from './attachment-of.js';
import type { ConversationParts } from './conversation-parts.js';
import { divideMessages } from './divide-messages.js';
import { CHILDREN_VERSION, SAVED_VERSION } from './saved-version.js';
import { saveTurn, type SavedTurn } from './saved-turn.js';
import { callsOf, type TurnRecord } from './turn-record.js';
import { allTurns, type Mark } from './turn-tree.js';

/** A conversation as versioned JSON: the result of `save()`, and the snapshot of a log. */
export interface SavedConversation {
  readonly version: number;
  /** The number of the last operation. A session that opens the conversation continues the numbering. */
  readonly sequence: number;
  /** The turn or mark with which the conversation ends; null for an empty conversation. */
  readonly head: string | null;
  /** The messages before the first turn. */
  readonly prefix: readonly Message[];
  /** All turns in order of start, including turns that left the conversation. */
  readonly turns: readonly SavedTurn[];
  /** The nodes of the tree that are not turns: clears and compactions. */
  readonly marks: readonly Mark[];
  /** The turns that can be redone, in the order of their undo. */
  readonly redo: readonly string[];
  /** The contents of the attachments in the messages, without duplicates; absent if there are none. */
  readonly attachments?: Attachments;
  /**
   * The rest of the state of a session, such as a running turn, the queue, grants and the mode. Present in the snapshot of a log, from which
   * a session goes on exactly. Absent in the result of `save()`. The option `conversation` does not read it.
   */
  readonly session?: JsonObject;
}

/**
 * Returns the parts of a session as JSON.
 *
 * @param session see {@link SavedConversation.session}; with it, all attachments are saved, because the queue may have some of them
 */
export function saveConversation(parts: ConversationParts, session?: JsonObject): SavedConversation {
  const { sequence, headTurnId, liveTurn, conversation, aside, undo, marks, redo } = parts;
  const turns = liveTurn === null ? parts.turns : [...parts.turns, liveTurn];
  const divided = divideMessages(conversation.messages, turns);
  const prefix = parts.prefix ?? divided.prefix;
  const messages = new Map<TurnRecord, readonly Message[]>(aside.map((one) => [one.turn, one.messages]));
  turns.forEach((turn, index) => messages.set(turn, divided.ofTurns[index]!));
  const all = allTurns(turns, aside);
  // If a turn failed at its start, only its record has its message.
  const inputs = all.map(({ input }) => input);
  const attachments = session
    ? parts.attachments
    : attachmentsIn([prefix, ...messages.values(), inputs].flat(), parts.attachments);
  return defined({
    version: all.some(hasChildren) ? CHILDREN_VERSION : SAVED_VERSION,
    sequence,
    head: headTurnId,
    prefix,
    turns: all.map((turn) =>
      saveTurn(turn, messages.get(turn)!, Object.hasOwn(undo, turn.id) ? undo[turn.id] : undefined),
    ),
    marks,
    redo,
    attachments: Object.keys(attachments).length === 0 ? undefined : attachments,
    session,
  });
}

function hasChildren({ rounds }: TurnRecord): boolean {
  return rounds.some((round) => callsOf(round).some(({ children }) => children !== undefined));
}

/** Returns the contents of the attachments in these messages. */
function attachmentsIn(messages: readonly Message[], all: Attachments): Attachments {
  return Object.fromEntries(
    messages.flatMap(attachmentIdsOf).flatMap((id) => {
      const content = attachmentOf(all, id);
      return content === undefined ? [] : [[id, content]];
    }),
  );
}
