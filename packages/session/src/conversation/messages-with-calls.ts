import type { Message, MessagePart, ToolCallPart } from '@banister/provider';
import { rememberedPlaces } from './remembered-places.js';

/** Returns the indexes of the messages that call tools of the session. */
export const messagesWithCalls: (messages: readonly Message[]) => readonly number[] = rememberedPlaces(
  ({ parts }: Message) => parts.some(isOwnCall),
);

/** Returns true for a call of a tool of the session. The provider runs the other calls. */
export function isOwnCall(part: MessagePart): part is ToolCallPart {
  return part.type === 'tool-call' && !part.hosted;
}
