import type {
  Base64ImageSource,
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  ThinkingConfigParam,
  Tool,
  ToolResultBlockParam,
  ToolUnion,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import {
  isErrorOutcome,
  wellFormed,
  type ContentPart,
  type ImagePart,
  type Message,
  type MessagePart,
  type ProviderRequest,
  type ThinkingPart,
  type ToolCallPart,
  type ToolDefinition,
  type ToolResultPart,
  type WireNames,
} from '@handrail/session/provider';
import type { AnthropicOptions } from './anthropic-options.js';
import { markForCache } from './mark-for-cache.js';
import { fromOpaque } from './opaque-data.js';
import { returnableBlocks, type ReturnableBlocks } from './returnable-blocks.js';
import { splitCited } from './split-cited.js';
import { toWireIds } from './to-wire-ids.js';

/** The API wants a bound; see `maxOutputTokens` of the options. */
const DEFAULT_MAX_TOKENS = 32_000;
/** The smallest budget for thinking that the API accepts. */
const SMALLEST_BUDGET = 1_024;

/** Said for the user where a conversation begins with the assistant: the API wants the user first. */
const OPENING = '(The conversation begins.)';

/** The kinds of images that the API reads. */
const mediaTypes: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** What a conversion needs to know beside the messages. */
interface Wire {
  readonly names: WireNames;
  readonly callIds: ReadonlyMap<string, string>;
  readonly returnable: ReturnableBlocks;
}

/** The body of a Messages request. The same input gives the same body. */
export function toRequest(
  request: ProviderRequest,
  options: AnthropicOptions,
  names: WireNames,
): MessageCreateParamsStreaming {
  const { system } = request;
  const wire = {
    names,
    callIds: toWireIds(request.messages),
    returnable: returnableBlocks(request.messages),
  };
  const tools = [...toServerTools(options), ...request.tools.map((tool) => toTool(tool, names))];
  const maxTokens = toMaxTokens(request, options);
  const thinking = toThinking(options.thinking, maxTokens);
  const container = containerOf(request.messages);
  const body: MessageCreateParamsStreaming = wellFormed({
    ...options.extraBody,
    model: options.model,
    max_tokens: maxTokens,
    ...(system.trim() === '' ? {} : { system: [{ type: 'text', text: system }] }),
    messages: toMessages(request.messages, wire),
    ...(tools.length === 0 ? {} : { tools }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(container === '' ? {} : { container }),
    stream: true,
  });
  const { promptCaching = true } = options;
  return promptCaching === false ? body : markForCache(body, promptCaching === '1h' ? '1h' : undefined);
}

function toMaxTokens({ maxOutputTokens }: ProviderRequest, options: AnthropicOptions): number {
  const most = options.maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  return maxOutputTokens === undefined ? most : Math.max(1, Math.min(most, Math.floor(maxOutputTokens)));
}

/** The budget is a part of the tokens that the answer may have, and has to leave something of them. */
function toThinking(
  thinking: ThinkingConfigParam | undefined,
  maxTokens: number,
): ThinkingConfigParam | undefined {
  if (thinking?.type !== 'enabled' || thinking.budget_tokens < maxTokens) return thinking;
  return maxTokens > SMALLEST_BUDGET ? { ...thinking, budget_tokens: maxTokens - 1 } : undefined;
}

function toMessages(messages: readonly Message[], wire: Wire): MessageParam[] {
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
    const content = toAssistantContent(message, wire);
    if (content.length === 0) continue; // and the user messages around it become one
    add('user', toUserContent(fromUser, wire));
    fromUser = [];
    add('assistant', content);
  }
  add('user', toUserContent(fromUser, wire));
  return converted[0]?.role === 'assistant'
    ? [{ role: 'user', content: [{ type: 'text', text: OPENING }] }, ...converted]
    : converted;
}

/** Consecutive user messages as one, tool results first: the API wants them right behind their calls. */
function toUserContent(messages: readonly Message[], wire: Wire): ContentBlockParam[] {
  const parts = messages.flatMap((message) => message.parts);
  const results = parts.filter((part) => part.type === 'tool-result');
  return [
    ...results.flatMap((result) => toToolResult(result, wire)),
    ...parts.flatMap((part) => {
      if (part.type === 'text') return toText(part.text);
      return part.type === 'image' ? [toImage(part)] : [];
    }),
  ];
}

/** Empty when nothing of it is left: parts of another provider, or nothing but reasoning. */
function toAssistantContent(message: Message, wire: Wire): ContentBlockParam[] {
  const content = message.parts.flatMap((part, position) => toAssistantBlocks(part, position, message, wire));
  // Reasoning that led to nothing: the API refuses a message that ends in it.
  return content.slice(0, content.findLastIndex((block) => !isReasoning(block)) + 1);
}

function toAssistantBlocks(
  part: MessagePart,
  position: number,
  message: Message,
  wire: Wire,
): ContentBlockParam[] {
  switch (part.type) {
    case 'text':
      return splitCited(part.text, message.parts[position + 1]).flatMap(({ text, citations }) =>
        toText(text).map((block) => (citations === null ? block : { ...block, citations })),
      );
    case 'thinking':
      return toThinkingBlock(part);
    case 'tool-call':
      return [toToolUse(part, message, wire)];
    case 'opaque':
      return toOwnBlock(part, wire);
    default:
      return [];
  }
}

/** None for nothing but white space, which the API sends and does not take back. */
function toText(text: string): TextBlockParam[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** Unchanged, or not at all: without a signature of ours it is no reasoning of this API, which would refuse the request. */
function toThinkingBlock({
  text,
  signature = '',
  signedBy = 'anthropic',
}: ThinkingPart): ContentBlockParam[] {
  const isOurs = signature !== '' && signedBy === 'anthropic';
  return isOurs ? [{ type: 'thinking', thinking: text, signature }] : [];
}

function toToolUse(call: ToolCallPart, message: Message, wire: Wire): ToolUseBlockParam {
  const caller = message.parts
    .map(fromOpaque)
    .find((data) => data?.kind === 'caller' && data.callId === call.providerCallId);
  return {
    type: 'tool_use',
    id: wire.callIds.get(call.id) ?? call.id,
    name: wire.names.toWire(call.tool),
    input: call.arguments ?? {},
    ...(caller?.kind === 'caller' ? { caller: caller.caller as unknown as ToolUseBlockParam['caller'] } : {}),
  };
}

/** Exactly as it came. */
function toOwnBlock(part: MessagePart, { returnable }: Wire): ContentBlockParam[] {
  const data = fromOpaque(part);
  return data?.kind === 'block' && returnable.has(part)
    ? [data.block as unknown as ContentBlockParam] // the client's types lag behind the API
    : [];
}

function toToolResult(result: ToolResultPart, wire: Wire): ToolResultBlockParam[] {
  const id = wire.callIds.get(result.callId);
  if (id === undefined) return []; // of a call that is not in this history
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
      // The API takes nothing but text as an error.
      return isError ? [{ type: 'text', text: '[image]' }] : [toImage(part)];
  }
}

function toImage({ mediaType, data }: ImagePart): ImageBlockParam | TextBlockParam {
  // Sent all the same, it would make this and every later request of the conversation fail.
  if (!mediaTypes.includes(mediaType))
    return { type: 'text', text: `[an image of type ${mediaType}, not readable]` };
  return {
    type: 'image',
    source: { type: 'base64', media_type: mediaType as Base64ImageSource['media_type'], data },
  };
}

function toTool(tool: ToolDefinition, names: WireNames): Tool {
  return {
    name: names.toWire(tool.name),
    ...(tool.description === '' ? {} : { description: tool.description }),
    // The type wants a mutable object that says "object"; nobody writes to it, and `validateTools` warns of others.
    input_schema: tool.parameters as unknown as Tool['input_schema'],
  };
}

function toServerTools({ serverTools = [] }: AnthropicOptions): ToolUnion[] {
  return serverTools.map((tool) => ({ ...tool }) as unknown as ToolUnion);
}

function isReasoning({ type }: ContentBlockParam): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** The container that waits for the results of the last message's calls; empty when none does. */
function containerOf(messages: readonly Message[]): string {
  const parts = messages.findLast((message) => message.role === 'assistant')?.parts ?? [];
  const caller = parts.map(fromOpaque).find((data) => data?.kind === 'caller');
  return caller?.kind === 'caller' ? caller.container : '';
}
