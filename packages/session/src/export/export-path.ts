import { openConversation } from '../conversation/open-conversation.js';
import { saveConversation, type SavedConversation } from '../conversation/saved-conversation.js';
import { CLEARED, type Mark } from '../conversation/turn-tree.js';

/**
 * Returns one path of a saved conversation: the messages before the first turn and the turns that lead to its end, including attachments,
 * without the other branches. `createAgentSession({ conversation })` opens it like a whole conversation. The given document is neither
 * changed nor kept.
 *
 * @param saved the result of `save()`, or a document that was created from it
 * @param head the id of the turn with which the path ends, of any branch. Default: the head of the conversation
 * @throws AgentSessionError `unsupported` for a newer version; `invalid-configuration` for a value that is not a saved conversation, and if
 *   no turn has the id `head`
 *
 * @example
 * const text = JSON.stringify(exportPath(session.save()));
 */
export function exportPath(saved: SavedConversation, head: string | null = saved.head): SavedConversation {
  const path = openConversation({ ...saved, head });
  const { headTurnId, turns, marks } = path;
  const redo = path.redo.filter((id) => turns.some((turn) => turn.id === id));
  const parents = new Set([headTurnId, ...turns.map(({ parentId }) => parentId)]);
  return saveConversation({ ...path, aside: [], marks: marksBefore(parents, marks), redo, prefix: null });
}

/** Returns the marks with these ids, and the marks before them, back to the last clear. */
function marksBefore(ids: Set<string | null>, marks: readonly Mark[]): readonly Mark[] {
  const byId = new Map(marks.map((mark) => [mark.id, mark]));
  // Iterating over a set also visits the elements that are added during the iteration.
  for (const id of ids) {
    const mark = id === null ? undefined : byId.get(id);
    if (mark !== undefined && mark.kind !== CLEARED) ids.add(mark.parentId);
  }
  return marks
    .filter(({ id }) => ids.has(id))
    .map((mark) => (mark.kind === CLEARED ? { ...mark, parentId: null } : mark));
}
