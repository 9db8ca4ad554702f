import { toolCallsOf, type Message } from '@banister/provider';

/**
 * Returns the assistant messages of the current loop of tool calls: the messages after the last answer that
 * called no tool. Servers want the reasoning of only these messages back.
 */
export function messagesInLoop(messages: readonly Message[]): ReadonlySet<Message> {
  const last = messages.findLastIndex(
    (message) => message.role === 'assistant' && toolCallsOf(message).length === 0,
  );
  return new Set(messages.slice(last + 1).filter(({ role }) => role === 'assistant'));
}
