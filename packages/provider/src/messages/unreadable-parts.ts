import { deepFreeze } from '../json/json.js';
import type { MessagePart, OpaquePart, ThinkingPart } from './content.js';
import type { Message } from './message.js';
import { isSameModel, type ModelIdentity } from './model-identity.js';

/** A part that only its own model can read. */
type OwnedPart = OpaquePart | (ThinkingPart & { readonly signature: string });

/** Returns true if only its own model can read a part: the part is opaque, or signed. */
export function isOwned(part: MessagePart): part is OwnedPart {
  return part.type === 'opaque' || (part.type === 'thinking' && part.signature !== undefined);
}

/** Returns a message without the opaque parts and the signatures that `isLeftOut` selects; undefined if nothing is left. */
export function withoutOwned(message: Message, isLeftOut: (part: OwnedPart) => boolean): Message | undefined {
  if (!message.parts.some((part) => isOwned(part) && isLeftOut(part))) return message;
  const parts = message.parts.flatMap((part) => {
    if (!isOwned(part) || !isLeftOut(part)) return [part];
    return part.type === 'opaque' || part.text === '' ? [] : [{ type: 'thinking', text: part.text } as const];
  });
  return parts.length === 0 ? undefined : deepFreeze({ ...message, parts });
}

/**
 * Returns messages in the form that one model may read: without the opaque parts and the signatures of other models. Parts of older
 * releases, which name no model, stay. A message that needs no change stays the same object.
 *
 * @example
 * const own = readableMessages(request.messages, { provider: 'acme', server: 'https://acme.example', model: 'acme-1' });
 */
export function readableMessages(messages: readonly Message[], reader: ModelIdentity): readonly Message[] {
  const isForeign = ({ owner }: OwnedPart) => owner !== undefined && !isSameModel(owner, reader);
  return messages.flatMap((message) => withoutOwned(message, isForeign) ?? []);
}
