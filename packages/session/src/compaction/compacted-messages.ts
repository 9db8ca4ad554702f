import type {
  ContentPart,
  Message,
  MessagePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '@banister/provider';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { wellFormed } from '@banister/provider/internal/json/well-formed';
import { beginningOf, enclosed, oneLine, quotedId } from '@banister/provider/internal/messages/foreign-text';
import * as told from '../conversation/model-words.js';
import { noteMessage, notePart } from '../context/note-message.js';
import type { Compaction, ContextSteps } from '../conversation/compaction.js';
import { tokensOf } from '../conversation/context-tokens.js';

/** A result of at most this size, in estimated tokens, is not replaced by a line. */
const SHORT_RESULT = 64;
/** The highest number of characters of arguments, and of a result, in the line of a call. */
const LINE_LENGTH = 200;

/** The parts of a compaction that change requests. */
export type AppliedCompaction = Pick<Compaction, 'id' | 'upTo' | 'kept' | 'stripped' | 'summary'>;

/**
 * Returns the messages of a conversation in the form for requests. It is a pure function of the conversation and its marks. Messages that
 * no mark covers stay the same objects. A mark whose messages are missing changes nothing.
 */
export function compactedMessages(
  messages: readonly Message[],
  compactions: readonly AppliedCompaction[],
): readonly Message[] {
  return compactions.reduce(applied, messages);
}

function applied(messages: readonly Message[], compaction: AppliedCompaction): readonly Message[] {
  const { summary, stripped, upTo } = compaction;
  if (summary === undefined) return stripped ? withSteps(messages, compaction, stripped) : messages;
  const text = enclosed('summary', summary);
  return withoutFirst(messages, endOf(messages, upTo), compaction, { type: 'text', text });
}

function withSteps(
  messages: readonly Message[],
  compaction: AppliedCompaction,
  { results, calls, messages: left }: ContextSteps,
): readonly Message[] {
  const kept = new Set(compaction.kept);
  const [lastResult, lastCall] = [endOf(messages, results), endOf(messages, calls)];
  const shorter = messages.flatMap((message, index): readonly Message[] => {
    if (index >= lastResult) return [message];
    if (kept.has(message.id)) return [index < lastCall ? withoutResults(message) : message];
    return index < lastCall ? withoutCalls(message, messages[index - 1]) : [withoutContents(message)];
  });
  return withoutFirst(shorter, endOf(shorter, left), compaction, notePart(told.leftOutMessages));
}

/** Returns the number of messages up to the message with an id; 0 if there is none. */
function endOf(messages: readonly Message[], id: string | undefined): number {
  return messages.findLastIndex((message) => message.id === id) + 1;
}

/** The message that replaces the messages a compaction leaves out. It is the same object in each request. */
const replacements = new WeakMap<AppliedCompaction, Message>();

function withoutFirst(
  messages: readonly Message[],
  count: number,
  compaction: AppliedCompaction,
  part: TextPart,
): readonly Message[] {
  if (count === 0) return messages;
  let replacement = replacements.get(compaction);
  if (replacement === undefined) {
    replacement = deepFreeze({ id: compaction.id, role: 'user', kind: 'summary', parts: [part] } as const);
    replacements.set(compaction, replacement);
  }
  const kept = messages.slice(0, count).filter(({ id }) => compaction.kept.includes(id));
  return [replacement, ...kept.map(withoutResults), ...messages.slice(count)];
}

/** The kept messages without the results of removed calls, created once. */
const withoutResult = new WeakMap<Message, Message>();

/**
 * Returns a kept message whose calls were removed, without their results. In some histories the results come before the user's text in the
 * same message.
 */
function withoutResults(message: Message): Message {
  const known = withoutResult.get(message);
  if (known !== undefined) return known;
  const parts = message.parts.filter(({ type }) => type !== 'tool-result');
  const made = parts.length === message.parts.length ? message : deepFreeze({ ...message, parts });
  withoutResult.set(message, made);
  return made;
}

/** The forms of messages after a step, created once. */
const withoutContent = new WeakMap<Message, Message>();
const withoutCall = new WeakMap<Message, readonly Message[]>();

/** Returns a message in which a line replaces each long result, image and file. */
function withoutContents(message: Message): Message {
  const known = withoutContent.get(message);
  if (known !== undefined) return known;
  const parts = message.parts.map(withoutPartContent);
  const isSame = parts.every((part, index) => part === message.parts[index]);
  const shorter = isSame ? message : deepFreeze({ ...message, parts });
  withoutContent.set(message, shorter);
  return shorter;
}

function withoutPartContent(part: MessagePart): MessagePart {
  switch (part.type) {
    case 'image':
      return line(told.leftOutImage(part.name));
    case 'attachment':
    case 'file':
      return line(told.leftOutFile(part.name));
    case 'tool-result': {
      if (tokensOf(part.content) <= SHORT_RESULT) return part;
      return { ...part, content: [line(told.leftOutResult)] };
    }
    default:
      return part;
  }
}

function line(words: string): TextPart {
  return { type: 'text', text: `[${words}]` };
}

/**
 * Returns a message without its calls, or without its results. A note with a line for each call replaces the results of a message. Signed
 * thinking and opaque parts are removed together with their calls.
 *
 * @param before the message with the calls of these results
 */
function withoutCalls(message: Message, before: Message | undefined): readonly Message[] {
  const known = withoutCall.get(message);
  if (known !== undefined) return known;
  const made = deepFreeze(collapsed(message, before));
  withoutCall.set(message, made);
  return made;
}

function collapsed(message: Message, before: Message | undefined): readonly Message[] {
  const { parts } = message;
  if (parts.some(({ type }) => type === 'tool-call')) {
    const texts = parts.filter(({ type }) => type === 'text');
    return texts.length === 0 ? [] : [{ ...message, parts: texts }];
  }
  const results = parts.filter((part) => part.type === 'tool-result');
  if (results.length === 0) return [withoutContents(message)];
  const calls = new Map(
    before?.parts.flatMap((part) => (part.type === 'tool-call' ? [[part.id, part]] : [])),
  );
  const lines = results.map((result) => callLine(calls.get(result.callId), result));
  const note = noteMessage(message.id, [told.shortenedCalls, ...lines].join('\n'));
  const others = parts.filter(({ type }) => type !== 'tool-result').map(withoutPartContent);
  return [{ ...message, parts: [...note.parts, ...others] }];
}

/** Returns the line of a call: its tool, its arguments, its outcome, and the beginning of its result. */
export function callLine(
  call: ToolCallPart | undefined,
  { outcome, content }: Pick<ToolResultPart, 'outcome' | 'content'>,
  length = LINE_LENGTH,
): string {
  const made =
    call === undefined ? 'A tool' : `${quotedId(call.tool)} ${shortened(argumentsOf(call), length)}`;
  return `- ${made}: ${outcome}, ${shortened(content.map(contentText).join(' '), length) || 'without a text'}`;
}

/** A filter of requests finds a text in the JSON that is written here, but not in every way in which a model may write it. */
function argumentsOf({ argumentsText, arguments: parsed, ranWith }: ToolCallPart): string {
  const args = ranWith ?? parsed;
  return args === null ? argumentsText : JSON.stringify(args);
}

function contentText(part: ContentPart): string {
  if (part.type === 'text') return part.text;
  return part.type === 'json' ? JSON.stringify(part.value) : '[image]';
}

/** Returns the beginning of a text, in one line. */
export function shortened(text: string, length: number): string {
  const line = oneLine(beginningOf(text, length)).replace(/\s+/g, ' ').trim();
  return text.length <= length ? line : `${wellFormed(line.slice(0, length))}…`;
}
