import {
  readableMessages,
  textOf,
  toolCallsOf,
  wellFormed,
  wireCallIds,
  type Message,
  type MessagePart,
  type ProviderRequest,
  type ToolCallPart,
  type ToolDefinition,
  type ToolResultPart,
  type WireNames,
} from '@banister/provider';
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
  ChatCompletionTool,
  ChatCompletionToolMessageParam,
  ChatCompletionUserMessageParam,
} from 'openai/resources/chat/completions';
import { fieldsOf, identityIn, listOf, messagesInLoop, withProperties } from '@banister/wire';
import type { AnswerSource } from '../answer-reader.js';
import {
  convertMessages,
  dataUrl,
  resultText,
  userParts,
  wireArguments,
  type UserPart,
} from '../convert-messages.js';
import type { OpenAIOptions } from '../openai-options.js';
import { namedSchema } from '../output-format.js';
import { messageFields, returnedDataOf } from './returned-data.js';

/** Characters of a call id that OpenAI accepts; other servers send longer ids. */
const LONGEST_CALL_ID = 40;

/** The context of a conversion. */
interface Conversion {
  readonly names: WireNames;
  readonly callIds: ReadonlyMap<string, string>;
  readonly server: string;
  /** The assistant messages of the current loop of tool calls. */
  readonly inLoop: ReadonlySet<Message>;
}

/** Returns the body of a Chat Completions request. The same input gives the same body. */
export function toRequest(
  request: ProviderRequest,
  options: OpenAIOptions,
  { names, server }: Pick<AnswerSource, 'names' | 'server'>,
): ChatCompletionCreateParamsStreaming {
  const messages = readableMessages(request.messages, identityIn('openai', options));
  const callIds = wireCallIds(messages, LONGEST_CALL_ID);
  const conversion: Conversion = { names, callIds, server, inLoop: messagesInLoop(messages) };
  const system = request.system === '' ? [] : [{ role: 'system', content: request.system } as const];
  const { maxOutputTokens: maxTokens, output } = request;
  return wellFormed({
    ...options.extraBody,
    model: options.model,
    messages: [...system, ...toMessages(messages, conversion)],
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map((tool) => toTool(tool, names)) }),
    ...(request.tools.length === 0 ? {} : toChoice(request.toolChoice, names)),
    ...(output === undefined
      ? {}
      : { response_format: { type: 'json_schema' as const, json_schema: { ...namedSchema(output) } } }),
    ...(maxTokens === undefined ? {} : { [options.maxTokensField ?? 'max_completion_tokens']: maxTokens }),
    ...(options.includeUsage === false ? {} : { stream_options: { include_usage: true } }),
    stream: true,
  });
}

function toMessages(messages: readonly Message[], conversion: Conversion): ChatCompletionMessageParam[] {
  return convertMessages<ChatCompletionMessageParam>(
    messages,
    (parts) => toUserMessages(parts, conversion),
    (message) => toAssistantMessage(message, conversion),
  );
}

/**
 * Converts consecutive user messages: first the tool results, because the API requires them directly after
 * their calls, then one message.
 */
function toUserMessages(parts: readonly MessagePart[], conversion: Conversion): ChatCompletionMessageParam[] {
  const results = parts.filter((part) => part.type === 'tool-result');
  return [...results.map((result) => toToolMessage(result, conversion)), ...toUserMessage(userParts(parts))];
}

function toUserMessage(content: readonly UserPart[]): ChatCompletionUserMessageParam[] {
  if (content.length === 0) return [];
  // Plain text where possible: some servers that imitate the API refuse a list of parts.
  const plain = content.every((part) => part.type === 'text')
    ? content.map((part) => part.text).join('\n\n')
    : null;
  return [{ role: 'user', content: plain ?? content.map(toContentPart) }];
}

function toContentPart(part: UserPart): ChatCompletionContentPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: { url: dataUrl(part) } };
    case 'file':
      return { type: 'file', file: { filename: part.name, file_data: dataUrl(part) } };
  }
}

function toAssistantMessage(message: Message, conversion: Conversion): ChatCompletionAssistantMessageParam[] {
  const text = textOf(message);
  const data = returnedDataOf(message, conversion.server);
  const calls = toolCallsOf(message).map((call, index) => ({
    ...fieldsOf(listOf(data.calls)[index]),
    ...toToolCall(call, conversion),
  }));
  // Some servers send text of white space alone, and refuse it in a request.
  const isBlank = text.trim() === '';
  if (isBlank && calls.length === 0) return [];
  const fields = {
    ...messageFields(message, data, conversion.inLoop.has(message)),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return [{ ...fields, role: 'assistant', content: isBlank ? null : text }];
}

function toToolCall(call: ToolCallPart, conversion: Conversion): ChatCompletionMessageFunctionToolCall {
  return {
    id: conversion.callIds.get(call.id) ?? call.id,
    type: 'function',
    function: { name: conversion.names.toWire(call.tool), arguments: wireArguments(call.argumentsText) },
  };
}

function toToolMessage(result: ToolResultPart, conversion: Conversion): ChatCompletionToolMessageParam {
  return {
    role: 'tool',
    tool_call_id: conversion.callIds.get(result.callId) ?? result.callId,
    content: resultText(result),
  };
}

function toChoice(
  choice: ProviderRequest['toolChoice'],
  names: WireNames,
): Pick<ChatCompletionCreateParamsStreaming, 'tool_choice'> {
  if (choice === undefined) return {};
  return {
    tool_choice:
      typeof choice === 'string'
        ? choice
        : { type: 'function', function: { name: names.toWire(choice.tool) } },
  };
}

function toTool(tool: ToolDefinition, names: WireNames): ChatCompletionTool {
  return {
    type: 'function',
    function: {
      name: names.toWire(tool.name),
      description: tool.description,
      // The client's type is mutable, but the client does not write to it.
      parameters: withProperties(tool.parameters) as Record<string, unknown>,
    },
  };
}
