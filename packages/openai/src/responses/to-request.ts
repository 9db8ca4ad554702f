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
  // Tools of the session come first: a refusal names the position of the tool in the list.
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
    // The session keeps the conversation, so that the server knows nothing that the user cannot see and undo.
    store: false,
    stream: true,
  });
}

function toTool({ name, description, parameters }: ToolDefinition, names: WireNames): FunctionTool {
  return {
    type: 'function',
    name: names.toWire(name),
    description,
    // The client's type is mutable, but the client does not write to it.
    parameters: parameters as Record<string, unknown>,
    // The server's default is true, with which it refuses most schemas.
    strict: isStrictSchema(parameters),
  };
}
