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
import {
  textOf,
  toolCallsOf,
  wellFormed,
  wireCallIds,
  type ImagePart,
  type Message,
  type MessagePart,
  type ProviderRequest,
  type TextPart,
  type ToolCallPart,
  type ToolDefinition,
  type ToolResultPart,
  type WireNames,
} from '@handrail/session/provider';
import type { AnswerSource } from '../answer-reader.js';
import { convertMessages, resultText, wireArguments } from '../convert-messages.js';
import type { OpenAIOptions } from '../openai-options.js';
import { reasoningDetailsOf } from './reasoning-details.js';

/** Characters of a call id that OpenAI accepts; other servers send longer ids. */
const LONGEST_CALL_ID = 40;

/** The context of a conversion. */
interface Conversion {
  readonly names: WireNames;
  readonly callIds: ReadonlyMap<string, string>;
  readonly server: string;
}

/** The body of a Chat Completions request. The same input gives the same body. */
export function toRequest(
  request: ProviderRequest,
  options: OpenAIOptions,
  { names, server }: Pick<AnswerSource, 'names' | 'server'>,
): ChatCompletionCreateParamsStreaming {
  const conversion: Conversion = { names, callIds: wireCallIds(request.messages, LONGEST_CALL_ID), server };
  const system = request.system === '' ? [] : [{ role: 'system', content: request.system } as const];
  const { maxOutputTokens: maxTokens } = request;
  return wellFormed({
    ...options.extraBody,
    model: options.model,
    messages: [...system, ...toMessages(request.messages, conversion)],
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map((tool) => toTool(tool, names)) }),
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

/** Consecutive user messages: tool results first, since the API requires them right behind their calls, then one message. */
function toUserMessages(parts: readonly MessagePart[], conversion: Conversion): ChatCompletionMessageParam[] {
  const results = parts.filter((part) => part.type === 'tool-result');
  const content = parts.filter(
    (part) => part.type === 'image' || (part.type === 'text' && part.text.trim() !== ''),
  ) as (TextPart | ImagePart)[];
  return [...results.map((result) => toToolMessage(result, conversion)), ...toUserMessage(content)];
}

function toUserMessage(content: readonly (TextPart | ImagePart)[]): ChatCompletionUserMessageParam[] {
  if (content.length === 0) return [];
  // Plain text where possible: some servers that imitate the API refuse a list of parts.
  const plain = content.every((part) => part.type === 'text')
    ? content.map((part) => part.text).join('\n\n')
    : null;
  return [{ role: 'user', content: plain ?? content.map(toContentPart) }];
}

function toContentPart(part: TextPart | ImagePart): ChatCompletionContentPart {
  return part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } };
}

function toAssistantMessage(message: Message, conversion: Conversion): ChatCompletionAssistantMessageParam[] {
  const text = textOf(message);
  const calls = toolCallsOf(message).map((call) => toToolCall(call, conversion));
  // Some servers send text of white space alone, and refuse it in a request.
  const isBlank = text.trim() === '';
  if (isBlank && calls.length === 0) return [];
  const details = reasoningDetailsOf(message, conversion.server);
  const fields = {
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  };
  return [{ role: 'assistant', content: isBlank ? null : text, ...fields }];
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

function toTool(tool: ToolDefinition, names: WireNames): ChatCompletionTool {
  return {
    type: 'function',
    function: {
      name: names.toWire(tool.name),
      description: tool.description,
      // The client's type is mutable, but the client does not write to it.
      parameters: tool.parameters as Record<string, unknown>,
    },
  };
}
