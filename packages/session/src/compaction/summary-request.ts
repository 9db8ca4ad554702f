import type { Message, ProviderRequest } from '@banister/provider';
import { defined } from '@banister/provider/internal/json/defined';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { wellFormed } from '@banister/provider/internal/json/well-formed';
import { enclosed, indented, quoted } from '@banister/provider/internal/messages/foreign-text';
import * as told from '../conversation/model-words.js';
import { tokensOf } from '../conversation/context-tokens.js';
import { callLine } from './compacted-messages.js';

/** The highest number of characters of a result, and of arguments, that the model reads for a summary. */
const RESULT_LENGTH = 1_000;
/** Lines of the transcript are shortened to this size, in estimated tokens, before older lines are left out. */
const SHORTEST_LINE = 200;

/** How many words a summary may have per token, so that it ends before its token limit. */
const WORDS = 0.5;

/**
 * Returns the request for the summary of messages. The messages become a transcript in one message, so that any model can read the calls,
 * results and signed parts of another model.
 *
 * @param agent the id of the agent whose conversation it is; undefined for the conversation of the session
 * @param room the highest number of estimated tokens of the transcript; if it has more, its longest lines are shortened, then the oldest
 *   are left out
 * @param maxOutputTokens the highest number of tokens of the summary
 */
export function summaryRequest(
  { id, agent }: { readonly id: string; readonly agent?: string | undefined },
  messages: readonly Message[],
  room: number,
  maxOutputTokens: number,
): ProviderRequest {
  const lines = messages.flatMap((message, index) => linesOf(message, messages[index - 1]));
  const text = enclosed('transcript', newest(fitting(lines, room), room));
  const message: Message = { id: `${id}-transcript`, role: 'user', parts: [{ type: 'text', text }] };
  const request: ProviderRequest = defined({
    system: told.summary(Math.round(maxOutputTokens * WORDS)),
    messages: [message],
    tools: [],
    maxOutputTokens,
    agent,
    idempotencyKey: `${id}-summary`,
  });
  return deepFreeze(request);
}

/** Leaves out the middle of the longest lines, so that all lines fit into the room, as far as {@link SHORTEST_LINE} permits. */
function fitting(lines: readonly string[], room: number): readonly string[] {
  const sizes = lines.map(tokensOf);
  const longest = longestLine(sizes, room);
  return lines.map((line, index) => {
    const size = sizes[index]!;
    return size <= longest ? line : withoutMiddle(line, Math.floor((line.length * longest) / size));
  });
}

/** Returns the largest size of a line with which all lines fit into the room; Infinity if they fit as they are. */
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
  // The size counts the bytes of the line in quotes: two for the quotes, and four extra for the two ellipses.
  const kept = Math.max(0, length - note.length - 6);
  const end = Math.floor(kept / 3);
  return wellFormed(`${line.slice(0, kept - end)}${note}${line.slice(line.length - end)}`);
}

/** Returns the last lines that fit into the room, as one text. */
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
