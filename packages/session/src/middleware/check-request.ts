import { checkPair } from '../conversation/check-pairs.js';
import type { MessagePart } from '../conversation/content.js';
import { toolCallsOf, type Message } from '../conversation/message.js';
import { readMessage } from '../conversation/read-message.js';
import { deepFreeze } from '../json/json.js';
import { sameJson } from '../json/same-json.js';
import { wrong } from '../json/shape.js';
import type { ProviderRequest } from '../provider/provider.js';

/** The fields of a request that a middleware may change. All others stay as they are. */
const changeable: ReadonlySet<string> = new Set(['system', 'messages'] satisfies (keyof ProviderRequest)[]);

/**
 * Returns the request that a hook returned, frozen for the next hook: the one that it got where it returned nothing. Throws for a value
 * that is no request.
 */
export function frozenRequest(answer: unknown, before: ProviderRequest): ProviderRequest {
  if (answer === undefined || answer === before) return before;
  const { messages, system } = (answer ?? {}) as Partial<ProviderRequest>;
  if (!Array.isArray(messages) || typeof system !== 'string')
    throw new Error('it returned no request: a list of messages and a text "system" are missing');
  const request = answer as ProviderRequest;
  if (messages !== before.messages) {
    messages.forEach((message: Message, index) => {
      // Nearly all messages are those that the hook got, which are frozen.
      if (message !== before.messages[index]) deepFreeze(message);
    });
    Object.freeze(messages);
  }
  return Object.freeze(request);
}

/**
 * Checks the request that the last hook returned against the one that the first one got, and returns it as plain JSON. Throws where a provider
 * would refuse it, or where another field was changed. The time of the check grows with the messages that were changed.
 */
export function checkRequest(request: ProviderRequest, original: ProviderRequest): ProviderRequest {
  for (const name of new Set([...Object.keys(original), ...Object.keys(request)])) {
    const field = name as keyof ProviderRequest;
    if (!changeable.has(name) && !sameJson(request[field], original[field]))
      wrong(name, 'only "system" and "messages" may be changed');
  }
  const { system } = request;
  return Object.freeze({ ...original, system, messages: checkMessages(request.messages, original.messages) });
}

function checkMessages(messages: readonly Message[], original: readonly Message[]): readonly Message[] {
  if (messages === original) return messages;
  const { length } = messages;
  const most = Math.min(length, original.length);
  let start = 0;
  while (start < most && messages[start] === original[start]) start++;
  let same = 0;
  while (same < most - start && messages[length - 1 - same] === original[original.length - 1 - same]) same++;
  const known = new Set(original);
  const signed = signedParts(original.slice(start, original.length - same));
  const checked = messages.map((message, index) =>
    index < start || index >= length - same || known.has(message)
      ? message
      : checkMessage(message, `messages[${index}]`, signed),
  );
  // The pairs before and after the changed messages are those of the original.
  for (let index = start; index <= Math.min(length - same, length - 1); index++)
    checkPair(checked[index - 1], checked[index]!, `messages[${index}]`);
  if (checked.at(-1)?.role !== 'user') wrong('messages', 'the last message is none of the user');
  checkCallIds(checked, start, length - same, callIdsOf(original.slice(start, original.length - same)));
  return Object.freeze(checked);
}

/** Checks that each call has an id of its own. Ids that changed messages did not have before are compared with those of all messages. */
function checkCallIds(
  messages: readonly Message[],
  start: number,
  end: number,
  before: readonly string[],
): void {
  const changed = callIdsOf(messages.slice(start, end));
  const hasNew = changed.some((id) => !before.includes(id));
  const ids = hasNew ? callIdsOf(messages) : changed;
  if (new Set(ids).size !== ids.length) wrong('messages', 'two tool calls have one id');
}

function callIdsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => toolCallsOf(message).map(({ id }) => id));
}

function checkMessage(message: Message, at: string, signed: readonly MessagePart[]): Message {
  const copy = deepFreeze(readMessage(message, at));
  copy.parts.forEach((part, index) => {
    if (isSigned(part) && !signed.some((one) => sameJson(one, part)))
      wrong(`${at}.parts[${index}]`, 'a signed or opaque part was changed; it can only be left out');
  });
  return copy;
}

function signedParts(messages: readonly Message[]): readonly MessagePart[] {
  return messages.flatMap(({ parts }) => parts.filter(isSigned));
}

function isSigned(part: MessagePart): boolean {
  return part.type === 'opaque' || (part.type === 'thinking' && part.signature !== undefined);
}
