import { importedTurns, importedUndo } from '../conversation/imported.js';
import { openConversation } from '../conversation/open-conversation.js';
import { saveConversation, type SavedConversation } from '../conversation/saved-conversation.js';

/**
 * Returns a saved conversation of unknown origin in a form that this app may open. The messages stay. Everything that would act in this app
 * is removed, because the author of the document is unknown: effects are `lost` and cannot be undone or redone; turns lose their limits,
 * their tool choice and their directives; a provider that hosts tools asks for its approvals again. The function does not change the given
 * document. An app opens the conversations that it stored itself without this function.
 *
 * @param saved a document of any origin
 * @throws AgentSessionError `unsupported` for a newer version; `invalid-configuration` for a value that is not a saved conversation
 *
 * @example
 * const conversation = importedConversation(JSON.parse(await file.text()));
 * const session = createAgentSession({ provider, domains, conversation });
 */
export function importedConversation(saved: SavedConversation): SavedConversation {
  const parts = openConversation(saved);
  const undo = Object.entries(parts.undo).map(([turnId, one]) => [turnId, importedUndo(one)]);
  return saveConversation({ ...parts, ...importedTurns(parts), undo: Object.fromEntries(undo), redo: [] });
}
