import type { JsonObject, Message } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { sentence } from '@banister/provider/internal/errors/sentence';
import { deepFreeze, isJsonObject } from '@banister/provider/internal/json/json';
import { Mismatch, wrong } from '@banister/provider/internal/json/shape';
import { attachmentIdsOf, attachmentOf } from './attachment-of.js';
import { checkMessages, checkTree } from './check-tree.js';
import type { ConversationParts } from './conversation-parts.js';
import { readFields, type ReadFields } from './read-saved.js';
import { assertReadable, SAVED_VERSION } from './saved-version.js';
import { pathTo } from './turn-tree.js';

/** A saved conversation that was checked and copied. */
export interface ReadConversation {
  readonly parts: ConversationParts;
  /** See `SavedConversation.session`. Only the type of the field is checked. */
  readonly session: JsonObject | undefined;
}

/**
 * Checks a saved conversation of unknown origin, and returns a frozen copy of its parts. The given object is neither changed nor kept.
 *
 * @throws AgentSessionError `unsupported` for a newer version; `invalid-configuration`, with the place of the fault, for a value that is
 *   not a saved conversation, and for the snapshot of a log in which a turn runs
 */
export function openConversation(saved: unknown): ConversationParts {
  return refusing(() => {
    const { parts } = read(saved);
    return parts.liveTurn === null ? parts : wrong('turns', 'the last turn is running: open its log instead');
  });
}

/** Reads a saved conversation as {@link openConversation} does, also if a turn runs. */
export function readConversation(saved: unknown): ReadConversation {
  return refusing(() => read(saved));
}

function refusing<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw new AgentSessionError(
      'invalid-configuration',
      sentence(`This is no saved conversation: ${error.message}`),
      { details: { at: error.at } },
    );
  }
}

function read(saved: unknown): ReadConversation {
  if (!isJsonObject(saved)) return wrong('the saved conversation', 'it is no object');
  const { version } = saved;
  assertReadable(version);
  if (version !== SAVED_VERSION)
    return wrong('version', version === undefined ? 'it is missing' : `it is not ${SAVED_VERSION}`);
  const fields = readFields(saved, '');
  checkTree(fields);
  checkMessages(fields);
  checkAttachments(fields);
  checkRunning(fields);
  // Frozen here, because freezing it at the first request, which shares the messages, would delay the first text.
  return deepFreeze({ parts: partsOf(fields), session: fields.session });
}

/** Checks that the content of each attachment is present. */
function checkAttachments({ prefix, turns, attachments = {} }: ReadFields): void {
  const check = (messages: readonly Message[], at: string) => {
    for (const id of messages.flatMap(attachmentIdsOf))
      if (attachmentOf(attachments, id) === undefined)
        wrong(at, `there is no attachment ${JSON.stringify(id)}`);
  };
  check(prefix, 'prefix');
  turns.forEach(({ turn, messages }, index) => check([turn.input, ...messages], `turns[${index}]`));
}

/** Checks that no turn runs, except the last turn in the snapshot of a log. */
function checkRunning({ turns, head, session }: ReadFields): void {
  turns.forEach(({ turn }, index) => {
    if (turn.status !== 'running') return;
    if (session === undefined || turn.id !== head || index < turns.length - 1)
      wrong(`turns[${index}].record.status`, 'it is "running", but the turn is not the end of a log');
  });
}

/** Divides the turns into the turns on the path to the head and the others. */
function partsOf(fields: ReadFields): ConversationParts {
  const { sequence, head, prefix, turns, marks, redo, attachments = {} } = fields;
  const records = turns.map(({ turn }) => turn);
  const { turns: path, isCleared, compactions } = pathTo(head, records, marks)!;
  const isOnPath = new Set(path);
  const messagesOf = new Map(turns.map(({ turn, messages }) => [turn, messages]));
  const live = path.at(-1)?.status === 'running' ? path.at(-1)! : null;
  return {
    sequence,
    headTurnId: head,
    conversation: {
      messages: [...(isCleared ? [] : prefix), ...path.flatMap((turn) => messagesOf.get(turn)!)],
    },
    turns: live === null ? path : path.slice(0, -1),
    liveTurn: live,
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
  };
}
