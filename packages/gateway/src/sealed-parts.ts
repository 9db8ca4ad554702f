import {
  isJsonObject,
  type JsonValue,
  type Message,
  type MessagePart,
  type ModelIdentity,
  type ProviderEvent,
} from '@handrail/session/provider';
import type { Sealer, SealScope } from './seal.js';

// The session of the page takes the relay for the owner of every opaque part and signature, since it knows no other model. The true owner is
// inside the seal: an alias that names another model today returns nothing to it.

/** Returns an event of a model as it may leave the gateway. */
export async function sealEvent(
  event: ProviderEvent,
  owner: ModelIdentity,
  scope: SealScope,
  sealer: Sealer,
): Promise<ProviderEvent> {
  if (event.type === 'opaque')
    return { type: 'opaque', data: await sealer.seal('opaque', scope, sealed(owner, event.data)) };
  if (event.type !== 'thinking' || !event.signature) return event;
  const { delta, signature } = event;
  return {
    type: 'thinking',
    delta,
    signature: await sealer.seal('signature', scope, sealed(owner, signature)),
  };
}

/** Whether an event has data that no other model may read. */
export function isToSeal(event: ProviderEvent): boolean {
  return event.type === 'opaque' || (event.type === 'thinking' && Boolean(event.signature));
}

/**
 * Returns the messages of a request with the opaque parts and signatures that were sealed for this user and alias, each with its true owner. All
 * others are left out; the text of a signed thought stays.
 */
export async function openMessages(
  messages: readonly Message[],
  scope: SealScope,
  sealer: Sealer,
): Promise<readonly Message[]> {
  const opened: Message[] = [];
  for (const message of messages) {
    const parts: MessagePart[] = [];
    // One after the other: thousands that begin at once hold up every other answer of the process.
    for (const part of message.parts) parts.push(...(await openPart(part, scope, sealer)));
    if (parts.length > 0) opened.push({ ...message, parts });
  }
  return opened;
}

async function openPart(part: MessagePart, scope: SealScope, sealer: Sealer): Promise<MessagePart[]> {
  if (part.type === 'opaque') {
    const known = typeof part.data === 'string' ? await sealer.open('opaque', scope, part.data) : undefined;
    const { owner, data } = readSealed(known);
    return owner === undefined || data === undefined
      ? []
      : [{ type: 'opaque', provider: owner.provider, owner, data }];
  }
  if (part.type !== 'thinking') return [part];
  const { text, signature } = part;
  const known = signature ? await sealer.open('signature', scope, signature) : undefined;
  const { owner, data } = readSealed(known);
  if (owner !== undefined && typeof data === 'string')
    return [{ type: 'thinking', text, signature: data, signedBy: owner.provider, owner }];
  return text === '' ? [] : [{ type: 'thinking', text }];
}

function sealed(owner: ModelIdentity, data: JsonValue): JsonValue {
  return { owner: { ...owner }, data };
}

function readSealed(value: JsonValue | undefined): {
  readonly owner?: ModelIdentity;
  readonly data?: JsonValue;
} {
  return isJsonObject(value) ? (value as { readonly owner?: ModelIdentity; readonly data?: JsonValue }) : {};
}
