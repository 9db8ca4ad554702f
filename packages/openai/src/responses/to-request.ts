import {
  isJsonObject,
  readableMessages,
  wellFormed,
  type JsonObject,
  type OutputFormat,
  type ProviderRequest,
  type ToolDefinition,
  type WireNames,
} from '@banister/provider';
import type {
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseIncludable,
  Tool,
} from 'openai/resources/responses/responses';
import { identityIn, listOf, withProperties } from '@banister/wire';
import type { AnswerSource } from '../answer-reader.js';
import type { OpenAIOptions } from '../openai-options.js';
import { namedSchema } from '../output-format.js';
import { isStrictSchema } from './strict-schema.js';
import { toInput } from './to-input.js';

/** Returns the body of a request of the Responses API. The same input gives the same body. */
export function toRequest(
  request: ProviderRequest,
  options: OpenAIOptions,
  source: Pick<AnswerSource, 'names' | 'server' | 'model'>,
): ResponseCreateParamsStreaming {
  const { model, extraBody = {}, encryptedReasoning = true } = options;
  const { system, maxOutputTokens, output } = request;
  const messages = readableMessages(request.messages, identityIn('openai', options));
  // Tools of the session come first, because a refusal names the position of the tool in the list.
  const tools = [
    ...request.tools.map((tool) => toTool(tool, source.names)),
    ...(listOf(extraBody['tools']) as Tool[]),
  ];
  const include = new Set([
    ...(encryptedReasoning ? ['reasoning.encrypted_content'] : []),
    ...(listOf(extraBody['include']) as string[]),
  ]);
  return wellFormed({
    ...extraBody,
    model,
    ...(system === '' ? {} : { instructions: system }),
    input: toInput(messages, source),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length === 0 ? {} : toChoice(request.toolChoice ?? (output && 'none'), source.names)),
    ...(output === undefined ? {} : toText(output, extraBody)),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(include.size === 0 ? {} : { include: [...include] as ResponseIncludable[] }),
    // The session keeps the conversation, so the server knows nothing that the user cannot see and undo.
    store: false,
    stream: true,
  });
}

/** Returns the format of the text, beside the other fields that the app set there. */
function toText(output: OutputFormat, { text }: JsonObject): Pick<ResponseCreateParamsStreaming, 'text'> {
  const format = { type: 'json_schema' as const, ...namedSchema(output) };
  return { text: { ...(isJsonObject(text) ? text : {}), format } };
}

function toChoice(
  choice: ProviderRequest['toolChoice'],
  names: WireNames,
): Pick<ResponseCreateParamsStreaming, 'tool_choice'> {
  if (choice === undefined) return {};
  return {
    tool_choice: typeof choice === 'string' ? choice : { type: 'function', name: names.toWire(choice.tool) },
  };
}

function toTool({ name, description, parameters }: ToolDefinition, names: WireNames): FunctionTool {
  return {
    type: 'function',
    name: names.toWire(name),
    description,
    // The client's type is mutable, but the client does not write to it.
    parameters: withProperties(parameters) as Record<string, unknown>,
    // The server's default is true, with which it refuses most schemas.
    strict: isStrictSchema(parameters),
  };
}
