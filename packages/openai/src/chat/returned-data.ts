import { isJsonObject, strictParse, type JsonObject, type JsonValue, type Message } from '@banister/provider';
import { fieldsOf, listOf, type Fields } from '@banister/wire';

/**
 * Fields with data that a server wants back on the same call or message: the thought signatures of Gemini
 * (https://ai.google.dev/gemini-api/docs/thought-signatures), and fields of gateways and proxies.
 */
const returned = ['extra_content', 'provider_specific_fields', 'thought_signature'];

/** Fields with plain reasoning. Some servers want its text back beside the calls that it led to. */
export const reasoningFields = ['reasoning_content', 'reasoning'] as const;

/** The data of an answer that its server wants back. */
export interface ReturnedData {
  readonly reasoningDetails?: JsonValue;
  /** Fields of the message. */
  readonly message?: JsonObject;
  /** Fields of the calls, in their order. */
  readonly calls?: readonly JsonObject[];
  /**
   * The field in which the text of the thinking goes back, within the loop of tool calls that the thinking
   * led to.
   */
  readonly reasoning?: (typeof reasoningFields)[number];
}

/**
 * Adds the fields of a delta, or of a piece of a call, that go back. Objects are merged. For any other value
 * the last value counts.
 */
export function collectReturned(known: JsonObject, fields: Fields): JsonObject {
  let merged = known;
  for (const field of returned) {
    const value = fields[field];
    if (value === undefined || value === null) continue;
    // The data stays in the conversation, so it must be within the limits for JSON from outside.
    const checked = strictParse(JSON.stringify(value));
    if (checked.ok) merged = { ...merged, [field]: mergeValues(merged[field], checked.value) };
  }
  return merged;
}

function mergeValues(known: JsonValue | undefined, value: JsonValue): JsonValue {
  if (!isJsonObject(known) || !isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, mergeValues(known[key], one)] as const);
  return { ...known, ...Object.fromEntries(entries) };
}

/**
 * Returns the opaque part for the conversation; null if there is no data. The part names the server, because
 * another server would refuse the unknown fields.
 */
export function toOpaque(
  { calls = [], message = {}, ...data }: ReturnedData,
  server: string,
): JsonObject | null {
  const fields = {
    ...data,
    ...(isEmpty(message) ? {} : { message }),
    ...(calls.every(isEmpty) ? {} : { calls }),
  };
  return isEmpty(fields) ? null : { api: 'chat', server, ...fields };
}

function isEmpty(fields: object): boolean {
  return Object.keys(fields).length === 0;
}

/** Returns the data that this server sent in a message. */
export function returnedDataOf(message: Message, server: string): ReturnedData {
  for (const part of message.parts) {
    if (part.type !== 'opaque' || part.provider !== 'openai') continue;
    const data = fieldsOf(part.data);
    if (data['api'] === 'chat' && data['server'] === server) return data as ReturnedData;
  }
  return {};
}

/** Returns the fields that a message has in a request because of the data. */
export function messageFields(
  message: Message,
  { reasoningDetails, message: own, reasoning }: ReturnedData,
  isInLoop: boolean,
): JsonObject {
  const details = listOf(reasoningDetails) as readonly JsonValue[];
  const isReturned = isInLoop && reasoningFields.some((field) => field === reasoning);
  const thought = message.parts.flatMap((part) => (part.type === 'thinking' ? part.text : [])).join('');
  return {
    ...(isJsonObject(own) ? own : {}),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(isReturned && thought !== '' ? { [reasoning!]: thought } : {}),
  };
}
