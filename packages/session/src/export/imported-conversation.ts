import { importedMessage, importedTurn, importedUndo } from '../conversation/imported.js';
import { openConversation } from '../conversation/open-conversation.js';
import { saveConversation, type SavedConversation } from '../conversation/saved-conversation.js';

/**
 * Returns a saved conversation of unknown origin in a form that this app may open. It keeps the messages, but nothing that would act in
 * this app on the word of the document's author. Effects are `lost`, so that none of them is taken back or made again. Turns have no
 * limits, no tool choice and no directives of their own. A provider that hosts tools asks for its approvals again. A conversation that the
 * app itself stored need not be imported. The given document is neither changed nor kept.
 *
 * @param saved a document of any version and any origin
 * @throws AgentSessionError `unsupported` for a newer version; `invalid-configuration` for a value that is not a saved conversation
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
