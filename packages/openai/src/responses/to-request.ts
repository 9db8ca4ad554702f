import type {
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseIncludable,
  Tool,
} from 'openai/resources/responses/responses';
import {
  wellFormed,
  type ProviderRequest,
  type ToolDefinition,
  type WireNames,
} from '@handrail/session/provider';
import { listOf } from '@handrail/wire';
import type { AnswerSource } from '../answer-reader.js';
import type { OpenAIOptions } from '../openai-options.js';
import { isStrictSchema } from './strict-schema.js';
import { toInput } from './to-input.js';

/** The body of a request of the Responses API. The same input gives the same body. */
export function toRequest(
  request: ProviderRequest,
  { model, extraBody = {}, encryptedReasoning = true }: OpenAIOptions,
  source: Pick<AnswerSource, 'names' | 'server' | 'model'>,
): ResponseCreateParamsStreaming {
  const { system, messages, maxOutputTokens } = request;
  // The session's own come first: a server that refuses one tells its place in the list.
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
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(include.size === 0 ? {} : { include: [...include] as ResponseIncludable[] }),
    // The session keeps the conversation: what leaves for the server is what the user can see and undo.
    store: false,
    stream: true,
  });
}

function toTool({ name, description, parameters }: ToolDefinition, names: WireNames): FunctionTool {
  return {
    type: 'function',
    name: names.toWire(name),
    description,
    // The type wants a mutable object; nobody writes to it.
    parameters: parameters as Record<string, unknown>,
    // Left out, it would be true, and the server would refuse most schemas.
    strict: isStrictSchema(parameters),
  };
}
