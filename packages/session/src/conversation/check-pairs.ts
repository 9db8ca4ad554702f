import type { Message } from '@banister/provider';
import { wrong } from '@banister/provider/internal/json/shape';

/**
 * Checks that each call has exactly one result, in the message after it, because otherwise no provider would accept the next request.
 * Throws a `Mismatch`.
 *
 * @param at the place of the list of messages
 */
export function checkPairs(messages: readonly Message[], at: string): void {
  messages.forEach((message, index) => checkPair(messages[index - 1], message, `${at}[${index}]`));
  const last = messages.at(-1);
  if (last !== undefined && callIdsOf(last).length > 0)
    wrong(`${at}[${messages.length - 1}]`, 'its tool calls have no results');
}

/**
 * Checks that a message answers exactly the calls of the previous message. Throws a `Mismatch`.
 *
 * @param here the place of the message
 */
export function checkPair(before: Message | undefined, message: Message, here: string): void {
  const first = message.parts.findIndex((part) => part.type !== 'tool-result');
  if (first >= 0 && message.parts.slice(first).some((part) => part.type === 'tool-result')) {
    wrong(here, 'its tool results do not come first');
  }
  const open = before === undefined ? [] : callIdsOf(before);
  const results = message.parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : []));
  if (
    results.length !== open.length ||
    results.some((id) => !open.includes(id)) ||
    new Set(results).size !== results.length
  ) {
    wrong(here, 'its tool results do not answer the calls before it');
  }
  if (message.role === 'assistant' && (before?.role ?? 'assistant') === 'assistant') {
    wrong(here, 'an assistant message follows a user message');
  }
}

function callIdsOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []));
}
