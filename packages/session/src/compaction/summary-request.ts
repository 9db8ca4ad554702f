import * as told from '../conversation/model-words.js';
import { tokensOf } from '../conversation/context-tokens.js';
import { enclosed, indented, quoted } from '../conversation/foreign-text.js';
import type { Message } from '../conversation/message.js';
import { deepFreeze } from '../json/json.js';
import { wellFormed } from '../json/well-formed.js';
import type { ProviderRequest } from '../provider/provider.js';
import { callLine } from './compacted-messages.js';

/** The most characters of a result, and of arguments, that the model reads for a summary. */
const RESULT_LENGTH = 1_000;
/** A line of the transcript is shortened to this size at most, in estimated tokens, before older lines are left out. */
const SHORTEST_LINE = 200;

/** The words of a summary for each of its tokens, so that it comes to its end before it is cut. */
const WORDS = 0.5;

/**
 * Returns the request for the summary of messages. They are a transcript in one message, so that a model reads calls, results and signed parts
 * of any other one.
 *
 * @param room the most estimated tokens of the transcript; its longest lines are shortened where it has more, then the oldest are left out
 * @param maxOutputTokens the most tokens of the summary
 */
export function summaryRequest(
  id: string,
  messages: readonly Message[],
  room: number,
  maxOutputTokens: number,
): ProviderRequest {
  const lines = messages.flatMap((message, index) => linesOf(message, messages[index - 1]));
  const text = enclosed('transcript', newest(fitting(lines, room), room));
  const message: Message = { id: `${id}-transcript`, role: 'user', parts: [{ type: 'text', text }] };
  return deepFreeze({
    system: told.summary(Math.round(maxOutputTokens * WORDS)),
    messages: [message],
    tools: [],
    maxOutputTokens,
    idempotencyKey: `${id}-summary`,
  });
}

/** Returns the lines with the middle of the longest ones left out, so that all have room, as far as {@link SHORTEST_LINE} permits. */
function fitting(lines: readonly string[], room: number): readonly string[] {
  const sizes = lines.map(tokensOf);
  const longest = longestLine(sizes, room);
  return lines.map((line, index) => {
    const size = sizes[index]!;
    return size <= longest ? line : withoutMiddle(line, Math.floor((line.length * longest) / size));
  });
}

/** Returns the largest size of a line with which all have room; Infinity where they have it as they are. */
function longestLine(sizes: readonly number[], room: number): number {
  let left = room;
  for (const [before, size] of sizes.toSorted((one, other) => one - other).entries()) {
    const share = left / (sizes.length - before);
    if (size > share) return Math.max(SHORTEST_LINE, share);
    left -= size;
  }
  return Infinity;
}

function withoutMiddle(line: string, length: number): string {
  const note = ' [… the middle was left out …] ';
  // A size is that of the bytes in quotes: two quotes, and two characters of three bytes.
  const kept = Math.max(0, length - note.length - 6);
  const end = Math.floor(kept / 3);
  return wellFormed(`${line.slice(0, kept - end)}${note}${line.slice(line.length - end)}`);
}

/** Returns the last lines that have room, as one text. */
function newest(lines: readonly string[], room: number): string {
  const kept: string[] = [];
  let left = room;
  for (const line of lines.toReversed()) {
    left -= tokensOf(line);
    if (left < 0) return ['[The beginning was left out.]', ...kept].join('\n');
    kept.unshift(line);
  }
  return kept.join('\n');
}

function linesOf({ role, parts, kind }: Message, before: Message | undefined): readonly string[] {
  const calls = new Map(
    before?.parts.flatMap((part) => (part.type === 'tool-call' ? [[part.id, part]] : [])),
  );
  const speaker = kind === 'summary' ? 'Before' : role === 'user' ? 'User' : 'Assistant';
  return parts.flatMap((part) => {
    switch (part.type) {
      case 'text':
        return [`${speaker}: ${indented(part.text)}`];
      case 'tool-result':
        return [callLine(calls.get(part.callId), part, RESULT_LENGTH)];
      case 'image':
        return [`${speaker}: [an image]`];
      case 'attachment':
      case 'file':
        return [`${speaker}: [the file ${quoted(part.name)}]`];
      default:
        return [];
    }
  });
}
