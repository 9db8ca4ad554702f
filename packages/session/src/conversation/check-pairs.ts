import type { Message, MessagePart } from '@banister/provider';
import { wrong } from '@banister/provider/internal/json/shape';

/**
 * Checks that a message answers exactly the calls of the previous message, because otherwise no provider would accept the next request.
 * Throws a `Mismatch`.
 */
export function checkPair(before: Message | undefined, message: Message): void {
  const results = partsOfType(message, 'tool-result');
  if (results.some((result, index) => result !== message.parts[index]))
    wrong('', 'its tool results do not come first');
  const answered = results.map(({ callId }) => callId);
  const open = before === undefined ? [] : callIdsOf(before);
  if (
    answered.length !== open.length ||
    answered.some((id) => !open.includes(id)) ||
    new Set(answered).size !== open.length
  ) {
    wrong('', 'its tool results do not answer the calls before it');
  }
  if (message.role === 'assistant' && (before?.role ?? 'assistant') === 'assistant')
    wrong('', 'an assistant message follows a user message');
}

export function callIdsOf(message: Message): readonly string[] {
  return partsOfType(message, 'tool-call').map(({ id }) => id);
}

/** Returns the parts of a type. It reads the list by its indexes, because the engine reads a frozen list faster in this way. */
export function partsOfType<T extends MessagePart['type']>(
  { parts }: Message,
  type: T,
): readonly Extract<MessagePart, { type: T }>[] {
  const found: MessagePart[] = [];
  for (let index = 0; index < parts.length; index++)
    if (parts[index]!.type === type) found.push(parts[index]!);
  return found as Extract<MessagePart, { type: T }>[];
}
