import type { Message } from '@banister/provider';
import { kindOf } from '@banister/provider/internal/messages/attachment';
import { bytesIn } from './byte-size.js';
import type { Compaction } from './compaction.js';

/** The estimated tokens of an image. Servers count between about 80 and 1,600, depending on its size. */
const IMAGE_TOKENS = 1_000;

/**
 * Returns the estimated tokens of a value that is sent, for servers that do not count tokens: one per four bytes of its JSON, 1,000 per
 * image, 2,000 per 50 kB of a PDF.
 */
export function tokensOf(value: unknown): number {
  let files = 0;
  let text = JSON.stringify(value);
  // Most values have none of these parts. Then they are serialised many times faster, without a check of each part.
  if (notSent.test(text))
    text = JSON.stringify(value, (key, part) => {
      // The arguments of a call occur twice, so one of them is left out.
      if (key === 'argumentsText') return undefined;
      const tokens = fileTokens(part);
      if (tokens === undefined) return part;
      files += tokens;
      return 0;
    });
  return files + encoder.encode(text).length / 4;
}

const encoder = new TextEncoder();

/**
 * Finds the start of a part of JSON that is not sent as it is. It never matches inside a string, because quotes in a string are escaped.
 */
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

/** A page of a PDF counts as an image and its text, and has about 50 kB. */
function pdfTokens(bytes: number): number {
  return Math.ceil(bytes / 50_000) * 2 * IMAGE_TOKENS;
}

/** The estimate of each message. Messages do not change. */
const known = new WeakMap<Message, number>();

/** Returns the estimated tokens of a list of messages. */
export function messagesTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => {
    const tokens = known.get(message) ?? tokensOf(message.parts);
    known.set(message, tokens);
    return sum + tokens;
  }, 0);
}

/** Returns the estimated tokens of a conversation in requests: the size after its last compaction, and the later messages. */
export function contextTokens(messages: readonly Message[], compactions: readonly Compaction[]): number {
  const last = compactions.at(-1);
  const counted = messages.findLastIndex(({ id }) => id === last?.last) + 1;
  return (counted && last ? last.tokens.after : 0) + messagesTokens(messages.slice(counted));
}

/** Returns the share of a window; null if the window is unknown. */
export function pressureOf(tokens: number, window: number | null): number | null {
  return window && tokens / window;
}
