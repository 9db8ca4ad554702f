// The entry `@banister/session/export`: a conversation as a document. A page that does not import it does not load its code.
export { toMarkdown, type MarkdownOptions, type ShownConversation } from './to-markdown.js';
export { exportPath } from './export-path.js';
export { importedConversation } from './imported-conversation.js';
