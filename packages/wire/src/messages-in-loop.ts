import { toolCallsOf, type Message } from '@banister/provider';

/**
 * The assistant messages of the loop of tools that goes on: those since the last answer that called none. Servers want their reasoning
 * back in it alone.
 */
export function messagesInLoop(messages: readonly Message[]): ReadonlySet<Message> {
  const last = messages.findLastIndex(
    (message) => message.role === 'assistant' && toolCallsOf(message).length === 0,
  );
  return new Set(messages.slice(last + 1).filter(({ role }) => role === 'assistant'));
}
