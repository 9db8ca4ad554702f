import { wrong } from '../json/shape.js';
import type { Message } from './message.js';

/**
 * Checks that each call has exactly one result, in the message after it; no provider would accept the next request otherwise.
 * Throws a `Mismatch`.
 *
 * @param at the place of the list of messages
 */
export function checkPairs(messages: readonly Message[], at: string): void {
  let open: readonly string[] = [];
  messages.forEach((message, index) => {
    const here = `${at}[${index}]`;
    const first = message.parts.findIndex((part) => part.type !== 'tool-result');
    if (first >= 0 && message.parts.slice(first).some((part) => part.type === 'tool-result')) {
      wrong(here, 'its tool results do not come first');
    }
    const results = message.parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : []));
    if (
      results.length !== open.length ||
      results.some((id) => !open.includes(id)) ||
      new Set(results).size !== results.length
    ) {
      wrong(here, 'its tool results do not answer the calls before it');
    }
    if (message.role === 'assistant' && (messages[index - 1]?.role ?? 'assistant') === 'assistant') {
      wrong(here, 'an assistant message follows a user message');
    }
    open = message.parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []));
  });
  if (open.length > 0) wrong(`${at}[${messages.length - 1}]`, 'its tool calls have no results');
}
