import type { Attachments, Message, MessagePart } from '@banister/provider';
import { refusal } from '@banister/provider/internal/errors/checked';
import { kindOf } from '@banister/provider/internal/messages/attachment';
import { attachmentOf } from '../conversation/attachment-of.js';
import { bytesIn } from '../conversation/byte-size.js';
import { divideMessages } from '../conversation/divide-messages.js';
import { readConversation } from '../conversation/open-conversation.js';
import type { SavedConversation } from '../conversation/saved-conversation.js';
import type { TurnPart, TurnRecord, UndoItem } from '../conversation/turn-record.js';
import type { SessionState } from '../state/session-state.js';
import { callMarkdown, type ShownCall } from './call-markdown.js';
import { effectLines } from './effect-lines.js';
import { fileMarkdown, imageMarkdown, type ImageForm } from './image-markdown.js';
import { codeSpan, inWords, quoted } from './markdown-syntax.js';

/** The state of a session or of a mirror, or a saved conversation. */
export type ShownConversation =
  | (Pick<SessionState, 'turns' | 'liveTurn' | 'conversation'> &
      Partial<Pick<SessionState, 'attachments' | 'undoEntries'>>)
  | SavedConversation;

/** The options of {@link toMarkdown}. */
export interface MarkdownOptions {
  /** The heading of the document. Default: `Conversation`. */
  readonly title?: string | undefined;
  /** The date of the conversation, formatted by the app, because a session stores no date. Default: none. */
  readonly date?: string | undefined;
  /** Whether the model's thinking is shown. Default: false. */
  readonly thinking?: boolean | undefined;
  /** Whether the child turns of a call are shown with the call: their task, their answer and their calls. Default: false. */
  readonly children?: boolean | undefined;
  /**
   * `embedded` (default): the document contains images as data URLs. `named`: it contains only their names, types and sizes, as for all
   * other files.
   */
  readonly images?: ImageForm | undefined;
}

/** The options of a document, and the contents of its attachments. */
interface Shown extends MarkdownOptions {
  readonly images: ImageForm;
  readonly attachments: Attachments;
  /** Whether the turn of the shown part has ended. */
  readonly isOver?: boolean;
}

/** A piece of the document, in document order. */
interface Piece {
  /** The heading under which the piece is; null for a note about the previous turn. */
  readonly under: 'User' | 'User, while the turn ran' | 'Assistant' | null;
  readonly block: string;
}

/**
 * Returns the path to the head as a Markdown document for people: the messages before the first turn, then for each turn the user message,
 * the answer with its calls, the end if the turn did not complete, and what became of its effects.
 *
 * Each text of the user and of the model is a quote, line by line. Arguments and results of tools are code. Names and descriptions are
 * escaped. So no text can look like another message, or like a part of the document. HTML in a text stays as it was written: show the
 * document with a renderer that does not pass HTML on.
 *
 * @throws AgentSessionError `unsupported` or `invalid-configuration` for a saved conversation that sessions refuse
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
    // For a saved conversation, the session that opens it decides which effects can be taken back.
    undoEntries = [],
  } = 'version' in source ? { ...readConversation(source).parts, undoEntries: [] } : source;
  if (!Array.isArray(turns)) throw refusal('toMarkdown takes session.state');
  const lost = undoEntries.flatMap(({ effects }) => effects.filter((effect) => effect.lost));
  const options: Shown = { ...given, attachments, images: given.images ?? 'embedded' };
  const path = liveTurn === null ? turns : [...turns, liveTurn];
  const { prefix } = divideMessages(conversation.messages, path);
  const pieces = [
    ...prefixPieces(prefix, options),
    ...path.flatMap((turn) => [...turnPieces(turn, options), ...endPieces(turn, lost)]),
  ];
  const blocks = pieces.flatMap(({ under, block }, index) => {
    const goesOn = under === null || (under === 'Assistant' && pieces[index - 1]?.under === under);
    return goesOn ? [block] : [`## ${under}`, block];
  });
  const date = options.date ? [`Date: ${inWords(options.date)}`] : [];
  return `${[`# ${inWords(options.title ?? '') || 'Conversation'}`, ...date, ...blocks].join('\n\n')}\n`;
}

/** Returns the messages before the first turn, each call with its result. */
function prefixPieces(prefix: readonly Message[], options: Shown): readonly Piece[] {
  const parts = prefix.flatMap((message) => message.parts);
  const results = new Map(
    parts.flatMap((part) => (part.type === 'tool-result' ? [[part.callId, part] as const] : [])),
  );
  return prefix.flatMap((message) =>
    message.role === 'user'
      ? userPieces('User', message, options)
      : message.parts.flatMap((part) =>
          answerPieces(part.type === 'tool-call' ? { ...part, result: results.get(part.id) } : part, options),
        ),
  );
}

/** Returns the user message of a turn, then its rounds. */
function turnPieces({ input, rounds, outcome }: TurnRecord, options: Shown): readonly Piece[] {
  const parts = rounds.flatMap((round) => round.parts);
  return [
    ...userPieces('User', input, options),
    ...parts.flatMap((part) =>
      part.type === 'steering'
        ? userPieces('User, while the turn ran', part.message, options)
        : answerPieces(part, { ...options, isOver: outcome !== null }),
    ),
  ];
}

/** Returns a message of the user, unless it contains only results of calls. */
function userPieces(under: Piece['under'], { parts }: Message, options: Shown): readonly Piece[] {
  const blocks = parts.flatMap((part) => contentBlocks(part, options));
  return blocks.length === 0 ? [] : [{ under, block: blocks.join('\n\n') }];
}

/** Results have no block of their own. Parts that only their provider can read have none either. */
function contentBlocks(part: MessagePart, { images, attachments }: Shown): readonly string[] {
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

/** Returns a part of an answer. */
function answerPieces(part: AnswerPart, options: Shown): readonly Piece[] {
  return answerBlocks(part, options).map((block) => ({ under: 'Assistant', block }));
}

function answerBlocks(part: AnswerPart, options: Shown): readonly string[] {
  switch (part.type) {
    case 'tool-call':
      return [callMarkdown(part, options, childrenOf(part, options))];
    case 'thinking':
      return options.thinking !== true || part.text === '' ? [] : [`Thinking:\n\n${quoted(part.text)}`];
    default:
      return contentBlocks(part, options);
  }
}

/** Returns each child turn of a call as blocks: its agent, its task, its answer, and its end if it did not complete. */
function childrenOf({ children = [] }: ShownCall, options: Shown): readonly string[] {
  if (options.children !== true) return [];
  return children.map((child) => {
    const { agent, title, outcome, shortened } = child;
    const name = title === undefined ? codeSpan(agent) : `${codeSpan(agent)} (${inWords(title)})`;
    return [
      `Agent ${name}${shortened ? ', shortened' : ''}:`,
      ...turnPieces(child, { ...options, isOver: outcome !== null }).flatMap(
        ({ under, block }, index, all) =>
          under === all[index - 1]?.under ? [block] : [`${under === 'User' ? 'Task' : under}:`, block],
      ),
      ...endOf(child),
    ].join('\n\n');
  });
}

/** Returns the end of a turn that did not complete, and the effects of an ended turn. */
function endPieces(turn: TurnRecord, lost: readonly UndoItem[]): readonly Piece[] {
  const lines = turn.outcome === null ? [] : effectLines(turn, lost);
  const effects = lines.length === 0 ? [] : [`Effects:\n\n${lines.join('\n')}`];
  return [...endOf(turn), ...effects].map((block) => ({ under: null, block }));
}

function endOf({ status, outcome }: TurnRecord): readonly string[] {
  if (status === 'completed') return [];
  if (status === 'running') return ['The turn had not ended.'];
  const reason = inWords(outcome?.stop?.message ?? outcome?.error?.message ?? '');
  return [
    `The turn ${status === 'cancelled' ? 'was cancelled' : status}${reason === '' ? '.' : `: ${reason}`}`,
  ];
}
