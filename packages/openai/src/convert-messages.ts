import type { Message, MessagePart } from '@handrail/session/provider';

/**
 * Messages as a list of something else, the parts of consecutive user messages at once. An assistant message that leaves
 * nothing (thinking alone, or parts of another provider) is skipped, and the user messages around it become one.
 */
export function convertMessages<Converted>(
  messages: readonly Message[],
  fromUser: (parts: readonly MessagePart[]) => readonly Converted[],
  fromAssistant: (message: Message) => readonly Converted[],
): Converted[] {
  const converted: Converted[] = [];
  let parts: MessagePart[] = [];
  for (const message of messages) {
    if (message.role === 'user') {
      parts.push(...message.parts);
      continue;
    }
    const assistant = fromAssistant(message);
    if (assistant.length === 0) continue;
    converted.push(...fromUser(parts), ...assistant);
    parts = [];
  }
  return [...converted, ...fromUser(parts)];
}
