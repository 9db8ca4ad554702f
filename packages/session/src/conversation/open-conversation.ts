import { sentence } from '../errors/sentence.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { deepFreeze, isJsonObject } from '../json/json.js';
import { Mismatch, wrong } from '../json/shape.js';
import type { Attachments } from './attachment.js';
import { attachmentIdsOf, attachmentOf } from './attachment-of.js';
import type { Compaction } from './compaction.js';
import type { Conversation, Message } from './message.js';
import { checkMessages, checkTree } from './check-tree.js';
import type { ReadConversation } from './read-conversation.js';
import { readSaved } from './read-saved.js';
import { assertReadable, SAVED_VERSION } from './saved-version.js';
import type { TurnRecord } from './turn-record.js';
import { pathTo, type AsideTurn, type Mark } from './turn-tree.js';
import type { TurnUndo } from './turn-undo.js';

/** A saved conversation that was checked and copied. */
interface OpenedConversation {
  readonly sequence: number;
  readonly headTurnId: string | null;
  readonly conversation: Conversation;
  readonly turns: readonly TurnRecord[];
  readonly aside: readonly AsideTurn[];
  readonly undo: Readonly<Record<string, TurnUndo>>;
  readonly marks: readonly Mark[];
  /** The turns that can be redone, in the order of their undo. */
  readonly redo: readonly string[];
  readonly compactions: readonly Compaction[];
  readonly attachments: Attachments;
  /** The messages before the first turn, if the path to the head was cleared; null if it was not. */
  readonly prefix: readonly Message[] | null;
}

/**
 * Checks a saved conversation of unknown origin, and returns a frozen copy. The given object is neither changed nor kept.
 *
 * @throws AgentSessionError `unsupported` for a newer version; `invalid-configuration`, with the place of the fault, for a value that is
 *   not a saved conversation
 */
export function openConversation(saved: unknown): OpenedConversation {
  try {
    return onPath(readConversation(saved));
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw new AgentSessionError(
      'invalid-configuration',
      sentence(`This is no saved conversation: ${error.message}`),
      {
        details: { at: error.at },
      },
    );
  }
}

function readConversation(saved: unknown): ReadConversation {
  if (!isJsonObject(saved)) return wrong('the saved conversation', 'it is no object');
  const { version } = saved;
  assertReadable(version);
  if (version !== SAVED_VERSION)
    return wrong('version', version === undefined ? 'it is missing' : `it is not ${SAVED_VERSION}`);
  const read = readSaved(saved, '');
  checkTree(read);
  checkMessages(read);
  checkAttachments(read);
  return read;
}

/** Checks that the content of each attachment is present. */
function checkAttachments({ prefix, turns, attachments = {} }: ReadConversation): void {
  const check = (messages: readonly Message[], at: string) => {
    for (const id of messages.flatMap(attachmentIdsOf))
      if (attachmentOf(attachments, id) === undefined)
        wrong(at, `there is no attachment ${JSON.stringify(id)}`);
  };
  check(prefix, 'prefix');
  turns.forEach(({ turn, messages }, index) => check([turn.input, ...messages], `turns[${index}]`));
}

/** Divides the turns into the turns on the path to the head and the others. */
function onPath({
  sequence,
  head,
  prefix,
  turns,
  marks,
  redo,
  attachments = {},
}: ReadConversation): OpenedConversation {
  const {
    turns: path,
    isCleared,
    compactions,
  } = pathTo(
    head,
    turns.map(({ turn }) => turn),
    marks,
  )!;
  const isOnPath = new Set(path);
  const messagesOf = new Map(turns.map(({ turn, messages }) => [turn, messages]));
  // Frozen here, because freezing it at the first request, which shares the messages, would delay the first text.
  return deepFreeze({
    sequence,
    headTurnId: head,
    conversation: {
      messages: [...(isCleared ? [] : prefix), ...path.flatMap((turn) => messagesOf.get(turn)!)],
    },
    turns: path,
    aside: turns.flatMap((one, place) =>
      isOnPath.has(one.turn) ? [] : [{ turn: one.turn, messages: one.messages, place }],
    ),
    undo: Object.fromEntries(
      turns.flatMap(({ turn, undo }) => (undo === undefined ? [] : [[turn.id, undo]])),
    ),
    marks,
    redo,
    compactions,
    attachments,
    prefix: isCleared ? prefix : null,
  });
}
