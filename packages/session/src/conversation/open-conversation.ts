import type { JsonObject } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { sentence } from '@banister/provider/internal/errors/sentence';
import { deepFreeze, isJsonObject } from '@banister/provider/internal/json/json';
import { Mismatch, wrong } from '@banister/provider/internal/json/shape';
import { checkMessages, checkTree } from './check-tree.js';
import type { ConversationParts } from './conversation-parts.js';
import { readFields, type ReadFields } from './read-saved.js';
import { each } from './saved-shape.js';
import { isReadable, SAVED_VERSION } from './saved-version.js';
import { pathTo, type AsideTurn, type TreePath } from './turn-tree.js';
import type { TurnUndo } from './turn-undo.js';

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
  if (!isReadable(version))
    return wrong('version', version === undefined ? 'it is missing' : `it is not ${SAVED_VERSION}`);
  const fields = readFields(saved, '');
  const { head, turns, marks } = fields;
  const path = pathTo(
    head,
    turns.map(({ turn }) => turn),
    marks,
  );
  // Nearly every conversation is a path without marks. Other trees are checked.
  if (path?.turns.length !== turns.length + marks.length) checkTree(fields);
  checkMessages(fields);
  // Frozen here, because freezing it at the first request, which shares the messages, would delay the first text.
  return deepFreeze({ parts: partsOf(fields, path!), session: fields.session });
}

/** Divides the turns into the turns on the path to the head and the others. Throws a `Mismatch` if a turn runs that must not. */
function partsOf(fields: ReadFields, { turns: path, isCleared, compactions }: TreePath): ConversationParts {
  const { sequence, head, prefix, turns, marks, redo, attachments = {}, session } = fields;
  const messages = isCleared ? [] : [...prefix];
  const aside: AsideTurn[] = [];
  const undo: [string, TurnUndo][] = [];
  let next = 0;
  each('turns', turns, ({ turn, messages: own, undo: effects }, place) => {
    // Only the last turn in the snapshot of a log may run.
    if (turn.status === 'running' && (!session || turn.id !== head || place < turns.length - 1))
      wrong('record.status', 'it is "running", but the turn is not the end of a log');
    if (effects) undo.push([turn.id, effects]);
    if (turn === path[next]) {
      next++;
      messages.push(...own);
    } else aside.push({ turn, messages: own, place });
  });
  if (next < path.length) wrong('turns', 'they are not in order');
  const live = path.at(-1)?.status === 'running' ? path.pop()! : null;
  return {
    sequence,
    headTurnId: head,
    conversation: { messages: Object.freeze(messages) },
    turns: Object.freeze(path),
    liveTurn: live,
    aside,
    undo: Object.fromEntries(undo),
    marks,
    redo,
    compactions,
    attachments,
    prefix: isCleared ? prefix : null,
  };
}
