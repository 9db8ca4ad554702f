import { isJsonObject, strictParse, type JsonObject, type MessagePart } from '@handrail/session/provider';
import { fieldsOf, textIn } from '@handrail/wire';
import type { AnswerSource } from '../answer-reader.js';

/** Characters of the longest item that is kept; an image in base64 fits. */
const LONGEST_ITEM = 32 * 1024 * 1024;

/** Who understands an item. */
export type ItemOrigin = Pick<AnswerSource, 'server' | 'model'>;

/**
 * An output item as it goes into the conversation, or null when it is none that could be kept. It names server and model,
 * since others refuse reasoning that they cannot decrypt, and items that refer to it.
 */
export function storedItem(item: unknown, { server, model }: ItemOrigin): JsonObject | null {
  if (!isJsonObject(item) || textIn(item['type']) === '') return null;
  // Kept for ever and sent back: held to the bounds of everything that comes from outside.
  const checked = strictParse(JSON.stringify(item), { maxLength: LONGEST_ITEM });
  return checked.ok ? { api: 'responses', server, model, item: checked.value } : null;
}

/** The item in a part of a message; null for parts that another API, server or model wrote. */
export function itemIn(part: MessagePart | undefined, origin: ItemOrigin): JsonObject | null {
  if (part?.type !== 'opaque' || part.provider !== 'openai') return null;
  const { api, server, model, item } = fieldsOf(part.data);
  const isOurs = api === 'responses' && server === origin.server && model === origin.model;
  return isOurs && isJsonObject(item) ? item : null;
}

/** All items in the parts of a message. */
export function itemsIn(parts: readonly MessagePart[], origin: ItemOrigin): readonly JsonObject[] {
  return parts.map((part) => itemIn(part, origin)).filter((item) => item !== null);
}
