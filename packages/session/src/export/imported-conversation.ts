import { importedMessage, importedTurn, importedUndo } from '../conversation/imported.js';
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
  const { undo, aside, prefix, turns, conversation, ...rest } = openConversation(saved);
  return saveConversation({
    ...rest,
    aside: aside.map(({ turn, messages, ...place }) => ({
      ...place,
      turn: importedTurn(turn),
      messages: messages.map(importedMessage),
    })),
    undo: Object.fromEntries(Object.entries(undo).map(([turnId, one]) => [turnId, importedUndo(one)])),
    redo: [],
    prefix: prefix && prefix.map(importedMessage),
    turns: turns.map(importedTurn),
    conversation: { messages: conversation.messages.map(importedMessage) },
  });
}
