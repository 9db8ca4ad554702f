import type { Message } from '@banister/provider';
import { withoutOwned } from '@banister/provider/internal/messages/unreadable-parts';

/**
 * Returns messages without their encrypted reasoning: opaque parts and signatures. A message that needs no change stays the same object.
 *
 * @param upTo the id of the last message that is changed; if no message has this id, all messages are changed
 */
export function withoutReasoning(messages: readonly Message[], upTo?: string): readonly Message[] {
  const last = messages.findIndex(({ id }) => id === upTo);
  return messages.flatMap((message, index) =>
    last !== -1 && index > last ? [message] : (withoutOwned(message, () => true) ?? []),
  );
}
