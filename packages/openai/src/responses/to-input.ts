import {
  indented,
  toolCallsOf,
  wireCallIds,
  type ContentPart,
  type ImagePart,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessagePart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from '@banister/provider';
import type {
  EasyInputMessage,
  ResponseFunctionCallOutputItem,
  ResponseInputContent,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import type { AnswerSource } from '../answer-reader.js';
import {
  contentText,
  convertMessages,
  dataUrl,
  resultText,
  userParts,
  wireArguments,
  withOutcome,
  type UserPart,
} from '../convert-messages.js';
import { isReadable, isReturnable, itemIn, itemsIn, returnedItems, type Candidate } from './stored-item.js';

/** Characters of a call id that the server accepts. */
const LONGEST_CALL_ID = 64;

/** The context of a conversion. */
interface Conversion extends Pick<AnswerSource, 'names' | 'server' | 'model'> {
  readonly callIds: ReadonlyMap<string, string>;
  /**
   * Parts whose item is also in an earlier part. Some servers send items twice, but refuse to get them twice.
   */
  readonly repeated: ReadonlySet<MessagePart>;
  /** The server's ids of its requests for an approval, by the session's call id. */
  readonly approvals: ReadonlyMap<string, string>;
  /** Stored items of custom calls, by the session's call id. */
  readonly customCalls: ReadonlyMap<string, JsonObject>;
}

/** Returns a conversation as the input of a response. The same messages give the same input. */
export function toInput(
  messages: readonly Message[],
  source: Pick<AnswerSource, 'names' | 'server' | 'model'>,
): ResponseInputItem[] {
  const { names, server, model } = source;
  const customCalls = customCallsIn(messages, source);
  const conversion: Conversion = {
    names,
    server,
    model,
    callIds: wireCallIds(messages, LONGEST_CALL_ID),
    repeated: repeatedIn(messages, source),
    customCalls,
    approvals: new Map(
      messages
        .flatMap(toolCallsOf)
        .flatMap(({ id, providerCallId = '', hosted }) => (hosted ? [[id, providerCallId] as const] : [])),
    ),
  };
  const items = convertMessages<ResponseInputItem>(
    messages,
    (parts) => toUserItems(parts, conversion),
    (message) => toAssistantItems(message, conversion),
  );
  if (conversion.approvals.size === 0) return items;
  const isInTurn = messages.at(-1)?.parts.every((part) => part.type === 'tool-result') ?? false;
  return withoutStrayAnswers(items, isInTurn);
}

/**
 * Converts consecutive user messages: first the tool results, directly after their calls, then one message.
 */
function toUserItems(parts: readonly MessagePart[], conversion: Conversion): ResponseInputItem[] {
  const { approvals } = conversion;
  const results = parts.filter((part) => part.type === 'tool-result');
  return [
    // Outputs come first, because some servers want them directly after the calls.
    ...results.flatMap((result) => (approvals.has(result.callId) ? [] : [toCallOutput(result, conversion)])),
    ...results.flatMap((result) => toApproval(result, approvals)),
    ...toUserMessage(userParts(parts)),
  ];
}

function toUserMessage(content: readonly UserPart[]): EasyInputMessage[] {
  if (content.length === 0) return [];
  // Plain text where possible: some servers that imitate the API refuse a list of parts.
  const plain = content.every((part) => part.type === 'text')
    ? content.map((part) => part.text).join('\n\n')
    : null;
  return [{ role: 'user', content: plain ?? content.map(toInputContent) }];
}

function toInputContent(part: UserPart): ResponseInputContent {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image':
      return toInputImage(part);
    case 'file':
      return { type: 'input_file', filename: part.name, file_data: dataUrl(part) };
  }
}

function toInputImage(part: ImagePart) {
  return { type: 'input_image', image_url: dataUrl(part), detail: 'auto' } as const;
}

/** Returns an empty list for a message that has only thinking or parts of another provider. */
function toAssistantItems(message: Message, conversion: Conversion): ResponseInputItem[] {
  const stored = itemsIn(message.parts, conversion);
  const answered = new Set(message.parts.map(approvalOf));
  const candidates = message.parts.flatMap((part, index): readonly Candidate<ResponseInputItem>[] => {
    switch (part.type) {
      case 'text':
        return part.text.trim() === ''
          ? []
          : [own(toAssistantMessage(part, message.parts[index + 1], conversion))];
      case 'tool-call':
        // The stored item is the request for an approval. Another server has no use for it.
        return part.hosted ? [] : [own(toCall(part, conversion))];
      case 'opaque': {
        const item = itemIn(part, conversion);
        return item === null || conversion.repeated.has(part) ? [] : toStoredItem(item, stored, answered);
      }
      default:
        return []; // The stored item holds the thinking in the form that the server accepts.
    }
  });
  return returnedItems(candidates);
}

function own(item: ResponseInputItem): Candidate<ResponseInputItem> {
  return { item, kind: 'own', isReturnable: true };
}

/** @param next the part after the text, which may be a stored message with its phase */
function toAssistantMessage(
  { text }: TextPart,
  next: MessagePart | undefined,
  conversion: Conversion,
): EasyInputMessage {
  const item = itemIn(next, conversion);
  const phase = item?.['type'] === 'message' ? item['phase'] : undefined;
  return {
    role: 'assistant',
    content: text,
    ...(phase === undefined ? {} : { phase: phase as EasyInputMessage['phase'] }),
  };
}

function toCall(call: ToolCallPart, conversion: Conversion): ResponseInputItem {
  const call_id = conversion.callIds.get(call.id) ?? call.id;
  const custom = conversion.customCalls.get(call.id);
  if (custom) return { ...custom, call_id } as unknown as ResponseInputItem;
  return {
    type: 'function_call',
    call_id,
    name: conversion.names.toWire(call.tool),
    arguments: wireArguments(call.argumentsText),
  };
}

function toStoredItem(
  item: JsonObject,
  stored: readonly JsonObject[],
  answered: ReadonlySet<string | undefined>,
): readonly Candidate<ResponseInputItem>[] {
  switch (item['type']) {
    // Both items are sent instead of the part that they belong to.
    case 'message':
    case 'custom_tool_call':
      return [];
    case 'reasoning': {
      const { status: _status, ...reasoning } = item; // A returned item has no status.
      return [{ item: asInput(reasoning), kind: 'reasoning', isReturnable: isReadable(item) }];
    }
    default:
      return [{ item: asInput(item), kind: 'hosted', isReturnable: isReturnable(item, stored, answered) }];
  }
}

/** A stored item may be used as input, because the server wrote it. */
function asInput(item: JsonObject): ResponseInputItem {
  return item as unknown as ResponseInputItem;
}

/** Returns the answer to a request for an approval; an empty list for the result of any other call. */
function toApproval(
  { callId, outcome, content }: ToolResultPart,
  approvals: Conversion['approvals'],
): readonly ResponseInputItem[] {
  const approval_request_id = approvals.get(callId);
  if (approval_request_id === undefined) return [];
  const approve = outcome === 'success';
  const reason = approve ? {} : { reason: content.map(contentText).join('\n') };
  return [{ type: 'mcp_approval_response', approval_request_id, approve, ...reason }];
}

function toCallOutput(result: ToolResultPart, conversion: Conversion): ResponseInputItem {
  const call_id = conversion.callIds.get(result.callId) ?? result.callId;
  return conversion.customCalls.has(result.callId)
    ? { type: 'custom_tool_call_output', call_id, output: resultText(result) }
    : { type: 'function_call_output', call_id, output: toOutput(result) };
}

function toOutput(result: ToolResultPart): string | ResponseFunctionCallOutputItem[] {
  const { content } = result;
  if (!content.some((part) => part.type === 'image')) return resultText(result);
  return content.map((part, index) => toOutputContent(part, index === 0 ? result : null));
}

/** @param result the tool result, for its first part; null for further parts */
function toOutputContent(part: ContentPart, result: ToolResultPart | null): ResponseFunctionCallOutputItem {
  if (part.type === 'image') return toInputImage(part);
  const text = contentText(part);
  return { type: 'input_text', text: result ? withOutcome(result, text) : text };
}

function repeatedIn(
  messages: readonly Message[],
  source: Pick<AnswerSource, 'server' | 'model'>,
): ReadonlySet<MessagePart> {
  const repeated = new Set<MessagePart>();
  const ids = new Set<JsonValue>();
  for (const part of messages.flatMap((message) => message.parts)) {
    const id = itemIn(part, source)?.['id'];
    if (id === undefined) continue;
    if (ids.has(id)) repeated.add(part);
    ids.add(id);
  }
  return repeated;
}

/** Returns the server's id of the request for an approval that a part answers. */
function approvalOf(part: MessagePart): string | undefined {
  return part.type === 'tool-call' && part.hosted ? part.providerCallId : undefined;
}

type Approval = ResponseInputItem.McpApprovalResponse;

/**
 * Leaves out answers to requests that are not returned: requests of another server, or after reasoning that
 * no server can read again.
 *
 * @param isInTurn whether the model waits for the last answers; then they are told in words
 */
function withoutStrayAnswers(items: readonly ResponseInputItem[], isInTurn: boolean): ResponseInputItem[] {
  const asked = new Set(items.flatMap((item) => (item.type === 'mcp_approval_request' ? [item.id] : [])));
  const isStray = (item: ResponseInputItem): item is Approval =>
    item.type === 'mcp_approval_response' && !asked.has(item.approval_request_id);
  const last = items.findLastIndex((item) => !isOfUser(item));
  const words = isInTurn
    ? items
        .slice(last + 1)
        .filter(isStray)
        .map(inWords)
    : [];
  const kept = items.filter((item) => !isStray(item));
  return words.length === 0 ? kept : [...kept, { role: 'user', content: words.join('\n') }];
}

function isOfUser(item: ResponseInputItem): boolean {
  const type = item.type ?? 'message';
  if (type === 'message') return (item as EasyInputMessage).role === 'user';
  return type === 'mcp_approval_response' || type.endsWith('_output');
}

function inWords({ approve, reason = '' }: Approval): string {
  return approve
    ? 'The call that you asked to approve is approved: ask for it again.'
    : `The call that you asked to approve is refused: ${indented(reason ?? '')}`;
}

function customCallsIn(
  messages: readonly Message[],
  source: Pick<AnswerSource, 'server' | 'model'>,
): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  const ids = new Set<JsonValue>();
  for (const { parts } of messages) {
    const items = itemsIn(parts, source);
    for (const part of parts) {
      if (part.type !== 'tool-call') continue;
      const item = items.find(
        (one) => one['type'] === 'custom_tool_call' && one['call_id'] === part.providerCallId,
      );
      if (!item) continue;
      const { id, ...rest } = item;
      found.set(part.id, id === undefined || ids.has(id) ? rest : item);
      if (id !== undefined) ids.add(id);
    }
  }
  return found;
}
