import type { JsonValue, Message, MessagePart } from '@banister/provider';
import { canonicalJson } from '@banister/provider/internal/json/json';
import { wrong } from '@banister/provider/internal/json/shape';
import { toolCallsOf } from '@banister/provider/internal/messages/message';
import { checkPair } from '../conversation/check-pairs.js';
import { readMessage } from '../conversation/read-message.js';
import { within } from '../conversation/saved-shape.js';

/** Returns messages that replace others, as plain JSON. Throws if a provider would refuse them. */
export function checkMessages(messages: readonly Message[], frozen: readonly Message[]): readonly Message[] {
  const checked = [...messages];
  const { length } = checked;
  // A copy, because the engine reads a frozen list more slowly.
  const original = [...frozen];
  const most = Math.min(length, original.length);
  let start = 0;
  while (start < most && checked[start] === original[start]) start++;
  let same = 0;
  while (same < most - start && checked.at(-1 - same) === original.at(-1 - same)) same++;
  const end = length - same;
  const replaced = original.slice(start, original.length - same);
  const known = new Set(replaced);
  let texts: ReadonlySet<string> | undefined;
  const signed = () => (texts ??= new Set(replaced.flatMap(signedTexts)));
  for (let index = start; index < end; index++)
    if (!known.has(checked[index]!))
      checked[index] = within(`messages[${index}]`, () => checkMessage(checked[index]!, signed));
  // The pairs before and after the changed messages are the original pairs, and need no check.
  for (let index = start; index <= Math.min(end, length - 1); index++)
    within(`messages[${index}]`, () => checkPair(checked[index - 1], checked[index]!));
  if (checked.at(-1)?.role !== 'user') wrong('messages', 'the last message is none of the user');
  checkCallIds(checked, checked.slice(start, end), replaced);
  return Object.freeze(checked);
}

/** Checks that each call has a unique id. If a changed message has a new id, the ids of all messages are compared. */
function checkCallIds(
  messages: readonly Message[],
  changed: readonly Message[],
  replaced: readonly Message[],
): void {
  const ids = callIdsOf(changed);
  const before = new Set(callIdsOf(replaced));
  const all = ids.every((id) => before.has(id)) ? ids : callIdsOf(messages);
  if (new Set(all).size !== all.length) wrong('messages', 'two tool calls have one id');
}

function callIdsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => toolCallsOf(message).map(({ id }) => id));
}

function checkMessage(message: Message, signed: () => ReadonlySet<string>): Message {
  const copy = readMessage(message, '');
  if (signedTexts(copy).some((text) => !signed().has(text)))
    wrong('', 'a signed or opaque part was changed; it can only be left out');
  return copy;
}

/** Returns the signed and opaque parts of a message as strings, for comparison. */
function signedTexts({ parts }: Message): readonly string[] {
  return parts.filter(isSigned).map((part) => canonicalJson(part as unknown as JsonValue));
}

function isSigned(part: MessagePart): boolean {
  return part.type === 'opaque' || (part.type === 'thinking' && part.signature !== undefined);
}
