import type {
  MessageCreateParamsStreaming,
  ThinkingConfigParam,
  Tool,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages';
import {
  AgentSessionError,
  isJsonObject,
  readableMessages,
  wellFormed,
  type Message,
  type OutputFormat,
  type ProviderRequest,
  type ToolDefinition,
  type WireNames,
} from '@banister/provider';
import { closedSchema, identityIn, withProperties } from '@banister/wire';
import type { AnthropicOptions } from './anthropic-options.js';
import { markForCache } from './mark-for-cache.js';
import { fromOpaque } from './opaque-data.js';
import { toMessages } from './to-messages.js';

/** The default of the option `maxOutputTokens`. */
const DEFAULT_MAX_TOKENS = 32_000;
/** The smallest budget for thinking that the API accepts. */
const SMALLEST_BUDGET = 1_024;

/** Returns the body of a Messages request. The same input gives the same body. */
export function toRequest(
  request: ProviderRequest,
  options: AnthropicOptions,
  names: WireNames,
): MessageCreateParamsStreaming {
  const { system, output } = request;
  const tools = [...toServerTools(options), ...request.tools.map((tool) => toTool(tool, names))];
  const maxTokens = toMaxTokens(request, options);
  const thinking = toThinking(options.thinking, maxTokens);
  const messages = readableMessages(request.messages, identityIn('anthropic', options));
  const container = containerOf(messages);
  const body: MessageCreateParamsStreaming = wellFormed({
    ...options.extraBody,
    model: options.model,
    max_tokens: maxTokens,
    ...(system.trim() === '' ? {} : { system: [{ type: 'text', text: system }] }),
    messages: toMessages(messages, names),
    ...(tools.length === 0 ? {} : { tools }),
    // If the session has no tools, a tool choice would apply to the server's tools.
    ...(tools.length === 0 ? {} : toChoice(request.toolChoice ?? (output && 'none'), names)),
    ...(output === undefined ? {} : toOutputConfig(output, options)),
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

/** Returns the field `thinking`. Its budget is a part of `max_tokens` and must be smaller. */
function toThinking(
  thinking: ThinkingConfigParam | undefined,
  maxTokens: number,
): ThinkingConfigParam | undefined {
  if (thinking?.type !== 'enabled' || thinking.budget_tokens < maxTokens) return thinking;
  return maxTokens > SMALLEST_BUDGET ? { ...thinking, budget_tokens: maxTokens - 1 } : undefined;
}

/**
 * Returns the format of the answer, beside the other fields that the app set there. Throws `unsupported` for
 * a schema that the API refuses.
 */
function toOutputConfig(
  { schema }: OutputFormat,
  { extraBody }: AnthropicOptions,
): Pick<MessageCreateParamsStreaming, 'output_config'> {
  const closed = closedSchema(schema, { optional: 'kept', recursive: false });
  if (closed === null)
    throw new AgentSessionError(
      'unsupported',
      'The API enforces no schema with maps, recursion or values of any type. With structuredOutput: false a tool is forced instead.',
    );
  const config = extraBody?.['output_config'];
  return {
    output_config: {
      ...(isJsonObject(config) ? config : {}),
      format: { type: 'json_schema', schema: closed },
    },
  };
}

function toChoice(
  choice: ProviderRequest['toolChoice'],
  names: WireNames,
): Pick<MessageCreateParamsStreaming, 'tool_choice'> {
  if (choice === undefined) return {};
  if (typeof choice === 'object') return { tool_choice: { type: 'tool', name: names.toWire(choice.tool) } };
  return { tool_choice: { type: choice === 'none' ? 'none' : 'any' } };
}

function toTool(tool: ToolDefinition, names: WireNames): Tool {
  return {
    name: names.toWire(tool.name),
    ...(tool.description === '' ? {} : { description: tool.description }),
    // The client's type is mutable and only allows the type "object". The client does not write to it, and
    // `validateTools` warns about other types.
    input_schema: withProperties(tool.parameters) as unknown as Tool['input_schema'],
  };
}

function toServerTools({ serverTools = [] }: AnthropicOptions): ToolUnion[] {
  return serverTools.map((tool) => ({ ...tool }) as unknown as ToolUnion);
}

/**
 * Returns the id of the container that waits for results of the last message's calls; empty if there is none.
 */
function containerOf(messages: readonly Message[]): string {
  const parts = messages.findLast((message) => message.role === 'assistant')?.parts ?? [];
  const caller = parts.map(fromOpaque).find((data) => data?.kind === 'caller');
  return caller?.kind === 'caller' ? caller.container : '';
}
