import { kindOf } from './attachment.js';
import { bytesIn } from './byte-size.js';
import type { Compaction } from './compaction.js';
import type { Message } from './message.js';

/** Tokens of an image, as estimated: servers count between some 80 and 1,600 by its size. */
const IMAGE_TOKENS = 1_000;

/**
 * Returns the estimated tokens of a value that is sent, for servers that count none: one for four bytes of its JSON, 1,000 for an image, 2,000
 * for each 50 kB of a PDF.
 */
export function tokensOf(value: unknown): number {
  let files = 0;
  let text = JSON.stringify(value);
  // Most values have none of these, and are written many times faster without a look at each of their parts.
  if (notSent.test(text))
    text = JSON.stringify(value, (key, part) => {
      // The arguments of a call are there twice.
      if (key === 'argumentsText') return undefined;
      const tokens = fileTokens(part);
      if (tokens === undefined) return part;
      files += tokens;
      return 0;
    });
  return files + encoder.encode(text).length / 4;
}

const encoder = new TextEncoder();

/** The start of a part of JSON that is not sent as it is. No text has it: a quote within a text is escaped. */
const notSent = /"argumentsText":|"type":"(?:image|file|attachment)"/;

/** Returns the estimated tokens of an image or a file; undefined for any other value. */
function fileTokens(part: unknown): number | undefined {
  const { type, mediaType, size, data } = (part ?? {}) as Readonly<Record<string, unknown>>;
  if (type === 'image') return IMAGE_TOKENS;
  if (type === 'file' && typeof data === 'string') return pdfTokens(bytesIn(data));
  if (type !== 'attachment' || typeof mediaType !== 'string' || typeof size !== 'number') return undefined;
  const kind = kindOf(mediaType);
  if (kind === 'image') return IMAGE_TOKENS;
  return kind === 'text' ? size / 4 : pdfTokens(size);
}

/** A page of a PDF is an image and its text, and has about 50 kB. */
function pdfTokens(bytes: number): number {
  return Math.ceil(bytes / 50_000) * 2 * IMAGE_TOKENS;
}

/** The estimate of each message: messages do not change. */
const known = new WeakMap<Message, number>();

/** Returns the estimated tokens of a list of messages. */
export function messagesTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => {
    const tokens = known.get(message) ?? tokensOf(message.parts);
    known.set(message, tokens);
    return sum + tokens;
  }, 0);
}

/** Returns the estimated tokens of a conversation as requests have it: the size after its last compaction, and the messages since. */
export function contextTokens(messages: readonly Message[], compactions: readonly Compaction[]): number {
  const last = compactions.at(-1);
  const counted = messages.findLastIndex(({ id }) => id === last?.last) + 1;
  return (counted && last ? last.tokens.after : 0) + messagesTokens(messages.slice(counted));
}

/** Returns the share of a window; null where it is unknown. */
export function pressureOf(tokens: number, window: number | null): number | null {
  return window && tokens / window;
}
