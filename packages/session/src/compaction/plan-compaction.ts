import type { Message } from '@banister/provider';
import type { ContextSteps } from '../conversation/compaction.js';
import { messagesTokens } from '../conversation/context-tokens.js';
import { compactedMessages } from './compacted-messages.js';

/** The steps that make a request shorter without a model. */
export interface CompactionPlan {
  readonly upTo: string;
  readonly kept: readonly string[];
  readonly stripped: ContextSteps;
  /** The estimated tokens of the messages after the steps. */
  readonly tokens: number;
}

/** The messages to compact. */
export interface CompactedRequest {
  /** The messages of the next request, with earlier compactions applied. */
  readonly messages: readonly Message[];
  /** The id of the user message of the running turn; null between two turns. */
  readonly inputId: string | null;
  /** The id of the last message that the user wrote; null if there is none. */
  readonly writtenId: string | null;
}

/** The steps of a plan, and the messages that they keep. */
interface Planned {
  readonly kept: readonly string[];
  readonly stripped: ContextSteps;
}

/**
 * Returns the fewest steps after which the messages have the wanted size. First results of tools are left out, then lines replace calls,
 * then whole messages are left out, oldest first. If no steps are enough, returns all possible steps: then the user's messages at the end
 * stay, and the calls whose results the model has not read. Returns null if no step makes the messages smaller.
 *
 * @param target the wanted size in estimated tokens
 */
export function planCompaction(request: CompactedRequest, target: number): CompactionPlan | null {
  const { messages } = request;
  const ends = endsOf(request);
  const last = ends.at(-1);
  if (last === undefined || messagesTokens(messages) <= target) return null;
  const kept = keptOf(request);
  const size = (planned: Planned) => messagesTokens(withSteps(messages, planned));
  const fewest = (planOf: (end: string) => Planned): Planned => {
    let [low, high] = [0, ends.length - 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (size(planOf(ends[middle]!)) <= target) high = middle;
      else low = middle + 1;
    }
    return planOf(ends[high]!);
  };
  const steps: readonly ((end: string) => Planned)[] = [
    (results) => ({ kept, stripped: { results } }),
    (calls) => ({ kept, stripped: { results: last, calls } }),
    (end) => ({
      kept: [...summariesOf(messages), ...kept],
      stripped: { results: last, calls: last, messages: end },
    }),
    (end) => ({ kept, stripped: { results: last, calls: last, messages: end } }),
  ];
  const step = steps.find((planOf) => size(planOf(last)) <= target);
  const planned = step === undefined ? steps.at(-1)!(last) : fewest(step);
  const tokens = size(planned);
  return tokens < messagesTokens(messages) ? { ...planned, upTo: planned.stripped.results, tokens } : null;
}

/**
 * Returns the last message that a summary covers. It is the first message after which the remaining messages have the wanted size; if they
 * never have it, the last possible message. Returns undefined if no message can be covered.
 *
 * @param target the wanted size of the remaining messages, in estimated tokens
 */
export function summaryEnd(request: CompactedRequest, target: number): string | undefined {
  const { messages } = request;
  const kept = keptOf(request);
  const ends = endsOf(request);
  const sizeAfter = (upTo: string) => {
    const count = messages.findIndex(({ id }) => id === upTo) + 1;
    return messagesTokens(messages.filter(({ id }, index) => index >= count || kept.includes(id)));
  };
  return ends.find((end) => sizeAfter(end) <= target) ?? ends.at(-1);
}

function withSteps(messages: readonly Message[], planned: Planned): readonly Message[] {
  return compactedMessages(messages, [{ id: '', upTo: planned.stripped.results, ...planned }]);
}

/**
 * Returns the ids of the messages after which a request can be divided, oldest first. No division separates a call from its result. The
 * calls whose results the model has not read, and the last message, come after every division.
 */
function endsOf({ messages, inputId }: CompactedRequest): readonly string[] {
  const answer = messages.findLastIndex(({ role }) => role === 'assistant');
  const input = messages.findLastIndex(({ id }) => id === inputId);
  const isOpen = inputId !== null && answer > input && hasPart(messages[answer], 'tool-call');
  const most = isOpen ? answer : messages.length - 1;
  return messages
    .slice(0, Math.max(0, most))
    .flatMap(({ id }, index) => (hasPart(messages[index + 1], 'tool-result') ? [] : [id]));
}

function hasPart(message: Message | undefined, type: 'tool-call' | 'tool-result'): boolean {
  return message?.parts.some((part) => part.type === type) ?? false;
}

/** Returns the ids of the messages that stay as they are: the input of the running turn, and the last message that the user wrote. */
export function keptOf({ inputId, writtenId }: CompactedRequest): readonly string[] {
  return [...new Set([inputId, writtenId])].filter((id) => id !== null);
}

/** Returns the ids of the summaries that a model wrote. A mark without a summary has a note in the same place. */
function summariesOf(messages: readonly Message[]): readonly string[] {
  const isSummary = ({ kind, parts: [part] }: Message) =>
    kind === 'summary' && part?.type === 'text' && part.text.startsWith('<summary>');
  return messages.filter(isSummary).map(({ id }) => id);
}
