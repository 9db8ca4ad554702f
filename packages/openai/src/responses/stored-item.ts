import { isJsonObject, strictParse, type JsonObject, type MessagePart } from '@banister/provider';
import { fieldsOf, listOf, textIn, type Fields } from '@banister/wire';
import type { AnswerSource } from '../answer-reader.js';

/** Characters of the longest item that is stored; an image in base64 fits. */
const LONGEST_ITEM = 32 * 1024 * 1024;

/** The server and the model that wrote an item; only they can read it. */
export type ItemOrigin = Pick<AnswerSource, 'server' | 'model'>;

/**
 * Returns an output item as the data of an opaque part; null for an item that cannot be stored. The data
 * names the server and the model, because other servers and models refuse reasoning that they cannot decrypt,
 * and items that refer to it.
 */
export function storedItem(item: unknown, { server, model }: ItemOrigin): JsonObject | null {
  if (!isJsonObject(item) || textIn(item['type']) === '') return null;
  // The part stays in the conversation, so it must be within the limits for JSON from outside.
  const checked = strictParse(JSON.stringify(item), { maxLength: LONGEST_ITEM });
  return checked.ok ? { api: 'responses', server, model, item: checked.value } : null;
}

/** Returns the item in a part of a message; null for a part of another API, server or model. */
export function itemIn(part: MessagePart | undefined, origin: ItemOrigin): JsonObject | null {
  if (part?.type !== 'opaque' || part.provider !== 'openai') return null;
  const { api, server, model, item } = fieldsOf(part.data);
  const isOurs = api === 'responses' && server === origin.server && model === origin.model;
  return isOurs && isJsonObject(item) ? item : null;
}

/** Returns all items in the parts of a message. */
export function itemsIn(parts: readonly MessagePart[], origin: ItemOrigin): readonly JsonObject[] {
  return parts.map((part) => itemIn(part, origin)).filter((item) => item !== null);
}

/** An item that may be returned to the server. */
export interface Candidate<Item> {
  readonly item: Item;
  /**
   * `own` is converted from the conversation. `reasoning` and `hosted` (a call of the server's own tool) are
   * stored items.
   */
  readonly kind: 'own' | 'reasoning' | 'hosted';
  /** False for an item that the server would refuse. */
  readonly isReturnable: boolean;
}

/**
 * Returns the items of one answer that go back. The server requires reasoning together with the item that it
 * led to, or neither. So reasoning is returned only with its next item, and a hosted item only with the
 * reasoning before it.
 */
export function returnedItems<Item>(candidates: readonly Candidate<Item>[]): Item[] {
  let isBroken = false;
  const kept = candidates.map(({ kind, isReturnable }) => {
    if (kind === 'own') isBroken = false;
    else isBroken ||= !isReturnable;
    return !isBroken;
  });
  for (let i = candidates.length - 1; i >= 0; i--) {
    if (candidates[i]?.kind === 'reasoning') kept[i] &&= kept[i + 1] ?? false;
  }
  return candidates.flatMap(({ item }, index) => (kept[index] ? [item] : []));
}

/** Returns true for reasoning that a server without storage can read again: encrypted or plain text. */
export function isReadable(reasoning: Fields): boolean {
  return textIn(reasoning['encrypted_content']) !== '' || listOf(reasoning['content']).length > 0;
}

/**
 * Returns true for a hosted item that the server accepts: complete, with its output, and not a request for an
 * approval that has no answer.
 *
 * @param others all items of the same answer
 * @param answered ids of the requests for an approval that the session answers
 */
export function isReturnable(
  item: Fields,
  others: readonly Fields[],
  answered: ReadonlySet<string | undefined>,
): boolean {
  const { type, status, call_id: callId } = item;
  if (status !== undefined && status !== 'completed' && status !== 'failed') return false;
  if (type === 'mcp_approval_request') return answered.has(textIn(item['id']));
  const isOutput = textIn(type).endsWith('_output');
  return (
    callId === undefined ||
    isOutput ||
    others.some((other) => other['call_id'] === callId && textIn(other['type']).endsWith('_output'))
  );
}
