import type { JsonValue, Message, MessagePart, ModelIdentity, ProviderEvent } from '@banister/provider';
import type { SealedKind, Sealer, SealScope } from './seal.js';

// The page's session treats the relay as the owner of every opaque part and signature, because it knows no other model. The true owner is
// inside the seal: if the alias names another model today, that model does not get the data.

/** An event with data that no other model may read. */
export type SealedEvent = Extract<ProviderEvent, { readonly type: 'opaque' | 'thinking' }>;

/** Whether an event has data that no other model may read. */
export function isToSeal(event: ProviderEvent): event is SealedEvent {
  return event.type === 'opaque' || (event.type === 'thinking' && Boolean(event.signature));
}

/** Returns an event of a model with its data sealed. */
export async function sealEvent(
  event: SealedEvent,
  owner: ModelIdentity,
  scope: SealScope,
  sealer: Sealer,
): Promise<ProviderEvent> {
  const seal = (kind: SealedKind, data: JsonValue) => sealer.seal(kind, scope, { owner: { ...owner }, data });
  return event.type === 'opaque'
    ? { type: 'opaque', data: await seal('opaque', event.data) }
    : { type: 'thinking', delta: event.delta, signature: await seal('signature', event.signature!) };
}

/**
 * Opens the opaque parts and signatures that were sealed for this user and alias, and adds the true owner to each. All others are removed;
 * the text of a signed thought stays.
 */
export async function openMessages(
  messages: readonly Message[],
  scope: SealScope,
  sealer: Sealer,
): Promise<readonly Message[]> {
  const opened: Message[] = [];
  for (const message of messages) {
    const parts: MessagePart[] = [];
    // One after another: thousands at once would delay every other answer of the process.
    for (const part of message.parts) parts.push(...(await openPart(part, scope, sealer)));
    if (parts.length > 0) opened.push({ ...message, parts });
  }
  return opened;
}

async function openPart(part: MessagePart, scope: SealScope, sealer: Sealer): Promise<MessagePart[]> {
  if (part.type !== 'opaque' && part.type !== 'thinking') return [part];
  const open = async (kind: SealedKind, seal: JsonValue | undefined) =>
    typeof seal === 'string' ? ((await sealer.open(kind, scope, seal)) as Sealed | undefined) : undefined;
  if (part.type === 'opaque') {
    const sealed = await open('opaque', part.data);
    return sealed === undefined ? [] : [{ type: 'opaque', provider: sealed.owner.provider, ...sealed }];
  }
  const { text } = part;
  const sealed = await open('signature', part.signature);
  if (sealed !== undefined) {
    const { owner, data } = sealed;
    return [{ type: 'thinking', text, signature: data as string, signedBy: owner.provider, owner }];
  }
  return text === '' ? [] : [{ type: 'thinking', text }];
}

/** The value inside a seal. It comes from {@link sealEvent}, because no other code has the key. */
interface Sealed {
  readonly owner: ModelIdentity;
  readonly data: JsonValue;
}
