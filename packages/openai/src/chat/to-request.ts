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
  isErrorOutcome,
  isJsonObject,
  strictParse,
  textOf,
  toolCallsOf,
  wireCallIds,
  type ContentPart,
  type ImagePart,
  type Message,
  type ProviderRequest,
  type TextPart,
  type ToolCallPart,
  type ToolDefinition,
  type ToolResultPart,
  type WireNames,
} from '@handrail/session/provider';
import type { OpenAIOptions } from '../openai-options.js';
import { reasoningDetailsOf } from './reasoning-details.js';

/** What a conversion needs to know beside the messages. */
interface Wire {
  readonly names: WireNames;
  readonly callIds: ReadonlyMap<string, string>;
  readonly server: string;
}

/** The body of a Chat Completions request. The same input gives the same body. */
export function toRequest(
  request: ProviderRequest,
  options: OpenAIOptions,
  names: WireNames,
  server: string,
): ChatCompletionCreateParamsStreaming {
  const wire: Wire = { names, callIds: wireCallIds(request.messages), server };
  const system = request.system === '' ? [] : [{ role: 'system', content: request.system } as const];
  const { maxOutputTokens: maxTokens } = request;
  return {
    ...options.extraBody,
    model: options.model,
    messages: [...system, ...toMessages(request.messages, wire)],
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map((tool) => toTool(tool, names)) }),
    ...(maxTokens === undefined ? {} : { [options.maxTokensField ?? 'max_completion_tokens']: maxTokens }),
    ...(options.includeUsage === false ? {} : { stream_options: { include_usage: true } }),
    stream: true,
  };
}

function toMessages(messages: readonly Message[], wire: Wire): ChatCompletionMessageParam[] {
  const converted: ChatCompletionMessageParam[] = [];
  let fromUser: Message[] = [];
  const flush = (): void => {
    converted.push(...toUserMessages(fromUser, wire));
    fromUser = [];
  };
  for (const message of messages) {
    if (message.role === 'user') {
      fromUser.push(message);
      continue;
    }
    const assistant = toAssistantMessage(message, wire);
    if (assistant === null) continue; // and the user messages around it become one
    flush();
    converted.push(assistant);
  }
  flush();
  return converted;
}

/** Consecutive user messages: tool results first, since the API wants them right behind their calls, then one message. */
function toUserMessages(messages: readonly Message[], wire: Wire): ChatCompletionMessageParam[] {
  const parts = messages.flatMap((message) => message.parts);
  const results = parts.filter((part) => part.type === 'tool-result');
  const content = parts.filter(
    (part) => part.type === 'image' || (part.type === 'text' && part.text !== ''),
  ) as (TextPart | ImagePart)[];
  return [...results.map((result) => toToolMessage(result, wire)), ...toUserMessage(content)];
}

function toUserMessage(content: readonly (TextPart | ImagePart)[]): ChatCompletionUserMessageParam[] {
  if (content.length === 0) return [];
  // Plain text wherever it suffices: not every server that imitates the API understands parts.
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

/** null when nothing of it is left: thinking alone, or parts of another provider. */
function toAssistantMessage(message: Message, wire: Wire): ChatCompletionAssistantMessageParam | null {
  const text = textOf(message);
  const calls = toolCallsOf(message).map((call) => toToolCall(call, wire));
  if (text === '' && calls.length === 0) return null;
  const details = reasoningDetailsOf(message, wire.server);
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  };
}

function toToolCall(call: ToolCallPart, wire: Wire): ChatCompletionMessageFunctionToolCall {
  return {
    id: wire.callIds.get(call.id) ?? call.id,
    type: 'function',
    function: { name: wire.names.toWire(call.tool), arguments: toArguments(call.argumentsText) },
  };
}

/** Byte for byte, so that the server's cache knows them; but nothing that a server would refuse to read. */
function toArguments(text: string): string {
  const parsed = strictParse(text);
  return parsed.ok && isJsonObject(parsed.value) ? text : '{}';
}

function toToolMessage(result: ToolResultPart, wire: Wire): ChatCompletionToolMessageParam {
  const text = result.content.map(toResultText).join('\n') || '(no output)';
  return {
    role: 'tool',
    tool_call_id: wire.callIds.get(result.callId) ?? result.callId,
    // The API has no field that says so.
    content: isErrorOutcome(result.outcome) ? `Error: ${text}` : text,
  };
}

function toResultText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'json':
      return JSON.stringify(part.value);
    case 'image':
      return '[image]'; // tool messages carry text only
  }
}

function toTool(tool: ToolDefinition, names: WireNames): ChatCompletionTool {
  return {
    type: 'function',
    function: {
      name: names.toWire(tool.name),
      description: tool.description,
      // The type wants a mutable object; nobody writes to it.
      parameters: tool.parameters as Record<string, unknown>,
    },
  };
}
