import type { Message, MessagePart, ToolCallPart } from '@banister/provider';
import { sameJson } from '@banister/provider/internal/json/same-json';
import { filled, text, wrong, type Read } from '@banister/provider/internal/json/shape';
import { parseArguments } from './parse-arguments.js';
import { count, json, list, record, some, variant } from './saved-shape.js';

const textPart = record({ text: filled });

export const identity = record({ provider: text, model: text });
const owner = { owner: identity };

/** The parts that messages and records of turns have in common. */
export const sharedParts = {
  text: textPart,
  thinking: record({ text }, owner),
  opaque: record({ provider: text }, owner),
};

export const result = { outcome: text, content: list(json) };

const callShape = record<ToolCallPart>({ id: filled, tool: filled, argumentsText: text });

const callPart: Read<ToolCallPart> = (value) => {
  const call = callShape(value, '');
  const parsed = parseArguments(call.argumentsText);
  if (!sameJson(parsed.ok ? parsed.value : null, call.arguments ?? null))
    wrong('arguments', 'it is not what the text of the call says');
  return call;
};

/** Reads the parts of each role. */
export const partOf: Readonly<Record<Message['role'], Read<MessagePart>>> = {
  user: variant('type', {
    text: textPart,
    image: record({ mediaType: text, data: text }),
    attachment: record({ id: filled, name: text, mediaType: text, size: count }),
    file: record({ name: text, mediaType: text, data: text }),
    'tool-result': record({ callId: text, ...result }),
  }),
  assistant: variant('type', { ...sharedParts, 'tool-call': callPart }),
};

/** Returns a function that reads a message with these parts. */
export function messageWith({ user, assistant }: typeof partOf): Read<Message> {
  return variant('role', {
    user: record({ id: text, parts: some(user) }),
    assistant: record({ id: text, parts: some(assistant) }),
  });
}

export const readMessage = messageWith(partOf);
