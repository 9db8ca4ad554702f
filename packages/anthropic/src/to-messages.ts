import type {
  Base64ImageSource,
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  MessageParam,
  TextBlockParam,
  ThinkingBlockParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import {
  isErrorOutcome,
  wireCallIds,
  type ContentPart,
  type FilePart,
  type ImagePart,
  type Message,
  type MessagePart,
  type ThinkingPart,
  type ToolCallPart,
  type ToolResultPart,
  type WireNames,
} from '@banister/provider';
import { messagesInLoop } from '@banister/wire';
import { fromOpaque, splitCited } from './opaque-data.js';
import { returnableBlocks, type ReturnableBlocks } from './returnable-blocks.js';

/**
 * Sent as the user's text if a conversation begins with the assistant, because the API requires that the user
 * begins.
 */
const OPENING = '(The conversation begins.)';

/** The types of images that the API accepts. */
const mediaTypes: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** The context of a conversion. */
interface Conversion {
  readonly names: WireNames;
  readonly callIds: ReadonlyMap<string, string>;
  readonly returnable: ReturnableBlocks;
  /** The assistant messages of the current loop of tool calls. */
  readonly inLoop: ReadonlySet<Message>;
}

/** Converts a conversation to the messages of a request. The same conversation gives the same messages. */
export function toMessages(messages: readonly Message[], names: WireNames): MessageParam[] {
  const conversion: Conversion = {
    names,
    callIds: toWireIds(messages),
    returnable: returnableBlocks(messages),
    inLoop: messagesInLoop(messages),
  };
  const converted: MessageParam[] = [];
  let fromUser: Message[] = [];
  const add = (role: 'user' | 'assistant', content: ContentBlockParam[]): void => {
    const last = converted.at(-1);
    if (content.length === 0) return;
    if (last?.role === role) (last.content as ContentBlockParam[]).push(...content);
    else converted.push({ role, content });
  };
  for (const message of messages) {
    if (message.role === 'user') {
      fromUser.push(message);
      continue;
    }
    const content = toAssistantContent(message, conversion);
    if (content.length === 0) continue; // Then the user messages around it are joined.
    add('user', toUserContent(fromUser, conversion));
    fromUser = [];
    add('assistant', content);
  }
  add('user', toUserContent(fromUser, conversion));
  return converted[0]?.role === 'assistant'
    ? [{ role: 'user', content: [{ type: 'text', text: OPENING }] }, ...converted]
    : converted;
}

/**
 * Joins consecutive user messages: first the tool results, because the API requires them directly after their
 * calls.
 */
function toUserContent(messages: readonly Message[], conversion: Conversion): ContentBlockParam[] {
  const parts = messages.flatMap((message) => message.parts);
  const results = parts.filter((part) => part.type === 'tool-result');
  return [
    ...results.flatMap((result) => toToolResult(result, conversion)),
    ...parts.flatMap((part): ContentBlockParam[] => {
      if (part.type === 'text') return toText(part.text);
      if (part.type === 'file') return [toDocument(part)];
      return part.type === 'image' ? [toImage(part)] : [];
    }),
  ];
}

/** Returns an empty list for a message that has only reasoning or parts of another provider. */
function toAssistantContent(message: Message, conversion: Conversion): ContentBlockParam[] {
  const content = message.parts.flatMap((part, position) =>
    toAssistantBlocks(part, position, message, conversion),
  );
  // The API refuses a message that ends in reasoning.
  return content.slice(0, content.findLastIndex((block) => !isReasoning(block)) + 1);
}

function toAssistantBlocks(
  part: MessagePart,
  position: number,
  message: Message,
  conversion: Conversion,
): ContentBlockParam[] {
  switch (part.type) {
    case 'text':
      return splitCited(part.text, message.parts[position + 1]).flatMap(({ text, citations }) =>
        toText(text).map((block) => (citations === null ? block : { ...block, citations })),
      );
    case 'thinking':
      return toThinkingBlock(part, message, conversion);
    case 'tool-call':
      return [toToolUse(part, message, conversion)];
    case 'opaque':
      return toOwnBlock(part, conversion);
    default:
      return [];
  }
}

/** Returns an empty list for white space alone, which the API sends but refuses to get back. */
function toText(text: string): TextBlockParam[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/**
 * Returns the reasoning unchanged, or nothing, because the API refuses reasoning without its own signature. A
 * server that imitates the API without signing gets its reasoning back within the loop of tool calls.
 */
function toThinkingBlock(
  { text, signature = '', signedBy = 'anthropic' }: ThinkingPart,
  message: Message,
  { inLoop }: Conversion,
): ContentBlockParam[] {
  if (signature !== '')
    return signedBy === 'anthropic' ? [{ type: 'thinking', thinking: text, signature }] : [];
  const isWanted = inLoop.has(message) && message.parts.some((part) => fromOpaque(part)?.kind === 'unsigned');
  return isWanted && text !== '' ? [{ type: 'thinking', thinking: text } as ThinkingBlockParam] : [];
}

function toToolUse(call: ToolCallPart, message: Message, conversion: Conversion): ToolUseBlockParam {
  const caller = message.parts
    .map(fromOpaque)
    .find((data) => data?.kind === 'caller' && data.callId === call.providerCallId);
  return {
    type: 'tool_use',
    id: conversion.callIds.get(call.id) ?? call.id,
    name: conversion.names.toWire(call.tool),
    input: call.arguments ?? {},
    ...(caller?.kind === 'caller' ? { caller: caller.caller as unknown as ToolUseBlockParam['caller'] } : {}),
  };
}

/** Returns the block exactly as the API sent it. */
function toOwnBlock(part: MessagePart, { returnable }: Conversion): ContentBlockParam[] {
  const data = fromOpaque(part);
  return data?.kind === 'block' && returnable.has(part)
    ? [data.block as unknown as ContentBlockParam] // the client's types lag behind the API
    : [];
}

function toToolResult(result: ToolResultPart, conversion: Conversion): ToolResultBlockParam[] {
  const id = conversion.callIds.get(result.callId);
  if (id === undefined) return []; // The call of this result is not in the history.
  const isError = isErrorOutcome(result.outcome);
  const content = result.content.flatMap((part) => toResultBlocks(part, isError));
  return [
    {
      type: 'tool_result',
      tool_use_id: id,
      content: content.length === 0 ? [{ type: 'text', text: '(no output)' }] : content,
      ...(isError ? { is_error: true } : {}),
    },
  ];
}

function toResultBlocks(part: ContentPart, isError: boolean): (TextBlockParam | ImageBlockParam)[] {
  switch (part.type) {
    case 'text':
      return toText(part.text);
    case 'json':
      return [{ type: 'text', text: JSON.stringify(part.value) }];
    case 'image':
      // The API accepts only text in the result of a failed call.
      return isError ? [{ type: 'text', text: '[image]' }] : [toImage(part)];
  }
}

function toImage({ mediaType, data }: ImagePart): ImageBlockParam | TextBlockParam {
  // The API would refuse this and every later request of the conversation.
  if (!mediaTypes.includes(mediaType))
    return { type: 'text', text: `[an image of type ${mediaType}, not readable]` };
  return {
    type: 'image',
    source: { type: 'base64', media_type: mediaType as Base64ImageSource['media_type'], data },
  };
}

function toDocument({ name, mediaType, data }: FilePart): DocumentBlockParam | TextBlockParam {
  // The API would refuse this and every later request of the conversation.
  if (mediaType !== 'application/pdf')
    return { type: 'text', text: `[the file "${name}" of type ${mediaType}, not readable]` };
  return { type: 'document', source: { type: 'base64', media_type: mediaType, data }, title: name };
}

function isReasoning({ type }: ContentBlockParam): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/**
 * Returns call ids in the characters that this API accepts, because ids of other providers may contain dots
 * and colons.
 */
function toWireIds(messages: readonly Message[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const used = new Set<string>();
  for (const [id, wireId] of wireCallIds(messages)) {
    const plain = wireId.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
    let unique = plain;
    for (let count = 2; used.has(unique); count++) unique = `${plain}_${count}`;
    used.add(unique);
    ids.set(id, unique);
  }
  return ids;
}
