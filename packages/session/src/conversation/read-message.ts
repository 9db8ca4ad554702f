import { canonicalJson, type JsonObject } from '../json/json.js';
import type { MessagePart } from './content.js';
import type { Message } from './message.js';
import { parseArguments } from './parse-arguments.js';
import { copyOf, listOf, objectOf, textsOf, wrong } from './saved-json.js';

/**
 * Returns a checked copy of a message. Throws `invalid-configuration`, naming the place.
 *
 * @param read returns the checked copy of a part. Default: {@link readPart}
 */
export function readMessage(
  value: unknown,
  at: string,
  read: (part: unknown, at: string, role: Message['role']) => JsonObject | MessagePart = readPart,
): Message {
  const { parts: given, ...rest } = textsOf(value, ['id'], at);
  const { role } = rest;
  if (role !== 'user' && role !== 'assistant') return wrong(`${at}.role`, 'it is neither user nor assistant');
  const parts = listOf(given, `${at}.parts`).map((part, position) => {
    const partAt = `${at}.parts[${position}]`;
    const copy = read(part, partAt, role);
    const type = copy.type as MessagePart['type'];
    if (!partsOf[role].includes(type)) wrong(partAt, `the ${role} has no such part as ${type}`);
    return copy;
  });
  if (parts.length === 0) wrong(`${at}.parts`, 'it is empty');
  return { ...copyOf(rest, at), parts } as unknown as Message;
}

/** The kinds of parts that each role may have. */
const partsOf: Readonly<Record<Message['role'], readonly string[]>> = {
  user: ['text', 'image', 'tool-result'],
  assistant: ['text', 'thinking', 'tool-call', 'opaque'],
};

/** The fields that each kind of part must have; the value of each is a string. */
const requiredTexts: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['mediaType', 'data'],
  thinking: ['text'],
  'tool-call': ['id', 'tool', 'argumentsText'],
  'tool-result': ['callId', 'outcome'],
  opaque: ['provider'],
};

/** Returns a checked copy of a part of a message. */
export function readPart(value: unknown, at: string): JsonObject {
  const part = copyOf(objectOf(value, at), at);
  const { type } = part;
  const required = Object.hasOwn(requiredTexts, String(type)) ? requiredTexts[String(type)] : undefined;
  if (required === undefined) return wrong(`${at}.type`, `it is ${JSON.stringify(type)}`);
  textsOf(part, required, at);
  if (type === 'text' && part.text === '') wrong(at, 'it is empty');
  if (type === 'tool-result') listOf(part.content, `${at}.content`);
  if (type === 'tool-call') {
    for (const field of ['id', 'tool']) if (part[field] === '') wrong(`${at}.${field}`, 'it is empty');
    const parsed = parseArguments(part.argumentsText as string);
    if (canonicalJson(parsed.ok ? parsed.value : null) !== canonicalJson(part.arguments ?? null)) {
      wrong(`${at}.arguments`, 'it is not what the text of the call says');
    }
  }
  return part;
}

/**
 * Checks that each call has exactly one result, in the message after it; no provider would accept the next request otherwise.
 * Throws `invalid-configuration`, naming the place.
 *
 * @param at the place of the list of messages
 */
export function checkPairs(messages: readonly Message[], at: string): void {
  let open: readonly string[] = [];
  messages.forEach((message, index) => {
    const here = `${at}[${index}]`;
    const first = message.parts.findIndex((part) => part.type !== 'tool-result');
    if (first >= 0 && message.parts.slice(first).some((part) => part.type === 'tool-result')) {
      wrong(here, 'its tool results do not come first');
    }
    const results = message.parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : []));
    if (
      results.length !== open.length ||
      results.some((id) => !open.includes(id)) ||
      new Set(results).size !== results.length
    ) {
      wrong(here, 'its tool results do not answer the calls before it');
    }
    if (message.role === 'assistant' && (messages[index - 1]?.role ?? 'assistant') === 'assistant') {
      wrong(here, 'an assistant message follows a user message');
    }
    open = message.parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []));
  });
  if (open.length > 0) wrong(`${at}[${messages.length - 1}]`, 'its tool calls have no results');
}
