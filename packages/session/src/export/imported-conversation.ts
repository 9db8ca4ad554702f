import { importedMessage, importedTurn, importedUndo } from '../conversation/imported.js';
import { openConversation } from '../conversation/open-conversation.js';
import { saveConversation, type SavedConversation } from '../conversation/saved-conversation.js';

/**
 * Returns a saved conversation of unknown origin as one that this app may open: what was said, without what would act here by the word of its
 * author. Effects are `lost`, so that nothing of them is taken back or made again; turns have no limits, tool choice and directives of their own;
 * a provider that hosts tools asks for its approvals again. A conversation that the app itself stored needs none of this. The given document is
 * neither changed nor kept.
 *
 * @param saved a document of any version, of which nothing has to be known
 * @throws AgentSessionError `unsupported` for a newer version; `invalid-configuration` for a value that is no saved conversation
 *
 * @example
 * const conversation = importedConversation(JSON.parse(await file.text()));
 * const session = createAgentSession({ provider, domains, conversation });
 */
export function importedConversation(saved: SavedConversation): SavedConversation {
  const { undo, marks, aside, prefix, turns, conversation, ...rest } = openConversation(saved);
  const fold = {
    aside: aside.map(({ turn, messages, ...place }) => ({
      ...place,
      turn: importedTurn(turn),
      messages: messages.map(importedMessage),
    })),
    undo: Object.fromEntries(Object.entries(undo).map(([turnId, one]) => [turnId, importedUndo(one)])),
    marks,
    redo: [],
    prefix: prefix && prefix.map(importedMessage),
  };
  const messages = conversation.messages.map(importedMessage);
  const path = { ...rest, turns: turns.map(importedTurn), conversation: { messages } };
  return saveConversation({ ...path, liveTurn: null, lastUsageReport: null, fold }, null);
}
