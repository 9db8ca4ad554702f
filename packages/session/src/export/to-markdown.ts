import { kindOf, type Attachments } from '../conversation/attachment.js';
import { attachmentOf } from '../conversation/attachment-of.js';
import { bytesIn } from '../conversation/byte-size.js';
import type { MessagePart, ToolResultPart } from '../conversation/content.js';
import { divideMessages } from '../conversation/divide-messages.js';
import type { Message } from '../conversation/message.js';
import { openConversation } from '../conversation/open-conversation.js';
import type { SavedConversation } from '../conversation/saved-conversation.js';
import type { TurnPart, TurnRecord } from '../conversation/turn-record.js';
import { refusal } from '../errors/checked.js';
import type { SessionState } from '../state/session-state.js';
import { callMarkdown, type ShownCall } from './call-markdown.js';
import { effectLines } from './effect-lines.js';
import { fileMarkdown, imageMarkdown, type ImageForm } from './image-markdown.js';
import { inWords, quoted } from './markdown-syntax.js';

/** The state of a session or of a mirror, or a saved conversation. */
export type ShownConversation =
  | (Pick<SessionState, 'turns' | 'liveTurn' | 'conversation'> & Partial<Pick<SessionState, 'attachments'>>)
  | SavedConversation;

/** The options of {@link toMarkdown}. */
export interface MarkdownOptions {
  /** The heading of the document. Default: `Conversation`. */
  readonly title?: string | undefined;
  /** The date of the conversation, as the app writes dates: a session keeps none. Default: none. */
  readonly date?: string | undefined;
  /** Whether the model's thinking is shown. Default: false. */
  readonly thinking?: boolean | undefined;
  /** `embedded` (default): images are in the document, as data URLs. `named`: their name, type and size are, as of all other files. */
  readonly images?: ImageForm | undefined;
}

/** The options of a document, and the contents of its attachments. */
interface Shown extends MarkdownOptions {
  readonly attachments: Attachments;
}

/** A piece of the document, in order. */
interface Piece {
  /** The heading that it stands under; null for a note about the turn before it. */
  readonly under: 'User' | 'User, while the turn ran' | 'Assistant' | null;
  readonly block: string;
}

/**
 * Returns the path to the head as a Markdown document that people can read: the messages before the first turn, then for each turn the user
 * message, the answer with its calls, the end where the turn did not complete, and the fate of its effects.
 *
 * Each text of the user and of the model is a quote that holds it line for line; arguments and results of tools are code; names and
 * descriptions are escaped. So no text can be taken for another message, or for a part of the document. HTML in a text stays as it was
 * written: show the document with a renderer that passes no HTML on.
 *
 * @throws AgentSessionError `unsupported` or `invalid-configuration` for a saved conversation that no session opens
 *
 * @example
 * const text = toMarkdown(session.state, { title: 'The plan', date: new Date().toLocaleDateString() });
 */
export function toMarkdown(source: ShownConversation, given: MarkdownOptions = {}): string {
  const {
    turns,
    liveTurn,
    conversation,
    attachments = {},
  } = 'version' in source ? { ...openConversation(source), liveTurn: null } : source;
  if (!Array.isArray(turns)) throw refusal('toMarkdown takes session.state, not the session');
  const options: Shown = { ...given, attachments };
  const path = liveTurn === null ? turns : [...turns, liveTurn];
  const { prefix } = divideMessages(conversation.messages, path);
  const pieces = [
    ...prefixPieces(prefix, options),
    ...path.flatMap((turn) => [...turnPieces(turn, options), ...endPieces(turn)]),
  ];
  const blocks = pieces.flatMap(({ under, block }, index) => {
    const goesOn = under === null || (under === 'Assistant' && pieces[index - 1]?.under === under);
    return goesOn ? [block] : [`## ${under}`, block];
  });
  const date = options.date ? [`Date: ${inWords(options.date)}`] : [];
  return `${[`# ${inWords(options.title ?? '') || 'Conversation'}`, ...date, ...blocks].join('\n\n')}\n`;
}

/** The messages before the first turn, each call with its result. */
function prefixPieces(prefix: readonly Message[], options: Shown): readonly Piece[] {
  const results = new Map<string, ToolResultPart>();
  for (const { parts } of prefix)
    for (const part of parts) if (part.type === 'tool-result') results.set(part.callId, part);
  return prefix.flatMap((message): readonly Piece[] => {
    if (message.role === 'user') return userPieces('User', message, options);
    return message.parts.flatMap((part) => {
      if (part.type !== 'tool-call') return answerPieces(part, options);
      const result = results.get(part.id);
      return answerPieces(result === undefined ? part : { ...part, result }, options);
    });
  });
}

/** The user message of a turn, then its rounds. */
function turnPieces({ input, rounds }: TurnRecord, options: Shown): readonly Piece[] {
  const parts = rounds.flatMap((round) => round.parts);
  return [
    ...userPieces('User', input, options),
    ...parts.flatMap((part) =>
      part.type === 'steering'
        ? userPieces('User, while the turn ran', part.message, options)
        : answerPieces(part, options),
    ),
  ];
}

/** A message of the user, unless it has nothing but results of calls. */
function userPieces(under: Piece['under'], { parts }: Message, options: Shown): readonly Piece[] {
  const blocks = parts.flatMap((part) => contentBlocks(part, options));
  return blocks.length === 0 ? [] : [{ under, block: blocks.join('\n\n') }];
}

function contentBlocks(part: MessagePart, options: Shown): readonly string[] {
  const { images = 'embedded', attachments } = options;
  if (part.type === 'text') return part.text === '' ? [] : [quoted(part.text)];
  if (part.type === 'image') return [imageMarkdown(part, images)];
  if (part.type === 'file') return [fileMarkdown({ ...part, size: bytesIn(part.data) })];
  if (part.type !== 'attachment') return [];
  const content = attachmentOf(attachments, part.id);
  const isImage = kindOf(part.mediaType) === 'image' && content !== undefined;
  return [
    isImage ? imageMarkdown({ type: 'image', ...content, name: part.name }, images) : fileMarkdown(part),
  ];
}

type AnswerPart =
  | Exclude<TurnPart | MessagePart, { readonly type: 'tool-call' | 'steering' }>
  | ({ readonly type: 'tool-call' } & ShownCall);

/** A part of an answer. Opaque parts are for their provider alone. */
function answerPieces(part: AnswerPart, options: Shown): readonly Piece[] {
  const under = 'Assistant';
  switch (part.type) {
    case 'tool-call':
      return [{ under, block: callMarkdown(part, options.images ?? 'embedded') }];
    case 'thinking':
      if (options.thinking !== true || part.text === '') return [];
      return [{ under, block: `Thinking:\n\n${quoted(part.text)}` }];
    case 'tool-result':
    case 'opaque':
      return [];
    default:
      return contentBlocks(part, options).map((block) => ({ under, block }));
  }
}

/** The end of a turn that did not complete, and the effects of one that has ended. */
function endPieces(turn: TurnRecord): readonly Piece[] {
  const lines = turn.outcome === null ? [] : effectLines(turn);
  const blocks = [endOf(turn), lines.length === 0 ? '' : `Effects:\n\n${lines.join('\n')}`];
  return blocks.flatMap((block) => (block === '' ? [] : [{ under: null, block }]));
}

function endOf({ status, outcome }: TurnRecord): string {
  switch (status) {
    case 'completed':
      return '';
    case 'running':
      return 'The turn had not ended.';
    case 'cancelled':
      return 'The turn was cancelled.';
    case 'stopped':
      return withReason('The turn stopped', outcome?.stop?.message);
    case 'failed':
      return withReason('The turn failed', outcome?.error?.message);
  }
}

function withReason(ending: string, reason = ''): string {
  const words = inWords(reason);
  return words === '' ? `${ending}.` : `${ending}: ${words}`;
}
