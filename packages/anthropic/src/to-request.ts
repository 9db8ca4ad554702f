import type {
  MessageCreateParamsStreaming,
  ThinkingConfigParam,
  Tool,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages';
import {
  wellFormed,
  type Message,
  type ProviderRequest,
  type ToolDefinition,
  type WireNames,
} from '@handrail/session/provider';
import type { AnthropicOptions } from './anthropic-options.js';
import { markForCache } from './mark-for-cache.js';
import { fromOpaque } from './opaque-data.js';
import { toMessages } from './to-messages.js';

/** The default of the option `maxOutputTokens`. */
const DEFAULT_MAX_TOKENS = 32_000;
/** The smallest budget for thinking that the API accepts. */
const SMALLEST_BUDGET = 1_024;

/** The body of a Messages request. The same input gives the same body. */
export function toRequest(
  request: ProviderRequest,
  options: AnthropicOptions,
  names: WireNames,
): MessageCreateParamsStreaming {
  const { system } = request;
  const tools = [...toServerTools(options), ...request.tools.map((tool) => toTool(tool, names))];
  const maxTokens = toMaxTokens(request, options);
  const thinking = toThinking(options.thinking, maxTokens);
  const container = containerOf(request.messages);
  const body: MessageCreateParamsStreaming = wellFormed({
    ...options.extraBody,
    model: options.model,
    max_tokens: maxTokens,
    ...(system.trim() === '' ? {} : { system: [{ type: 'text', text: system }] }),
    messages: toMessages(request.messages, names),
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

/** The thinking budget is a part of `max_tokens`, and must be smaller. */
function toThinking(
  thinking: ThinkingConfigParam | undefined,
  maxTokens: number,
): ThinkingConfigParam | undefined {
  if (thinking?.type !== 'enabled' || thinking.budget_tokens < maxTokens) return thinking;
  return maxTokens > SMALLEST_BUDGET ? { ...thinking, budget_tokens: maxTokens - 1 } : undefined;
}

function toTool(tool: ToolDefinition, names: WireNames): Tool {
  return {
    name: names.toWire(tool.name),
    ...(tool.description === '' ? {} : { description: tool.description }),
    // The client's type is mutable and of type "object"; the client does not write to it, and `validateTools` warns of others.
    input_schema: tool.parameters as unknown as Tool['input_schema'],
  };
}

function toServerTools({ serverTools = [] }: AnthropicOptions): ToolUnion[] {
  return serverTools.map((tool) => ({ ...tool }) as unknown as ToolUnion);
}

/** The id of the container that waits for results of the last message's calls; empty without one. */
function containerOf(messages: readonly Message[]): string {
  const parts = messages.findLast((message) => message.role === 'assistant')?.parts ?? [];
  const caller = parts.map(fromOpaque).find((data) => data?.kind === 'caller');
  return caller?.kind === 'caller' ? caller.container : '';
}
