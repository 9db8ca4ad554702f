import {
  createWireNames,
  type AgentSessionError,
  type JsonObject,
  type ProviderRequest,
} from '@handrail/session/provider';
import type { EventWatch } from '@handrail/wire';
import type { AnswerReader } from './answer-reader.js';
import type { Connection } from './connect.js';
import type { EventStream, ModelApi } from './model-api.js';
import type { OpenAIOptions } from './openai-options.js';
import { toError } from './to-error.js';

/** An answer that has begun. */
export interface Answer {
  readonly stream: EventStream;
  readonly reader: AnswerReader;
  /** What the bytes told; undefined when the client did not use our `fetch`. */
  readonly watch: EventWatch | undefined;
  readonly signal: AbortSignal;
  /** What was thrown while it was read, as one of our errors. */
  toError(thrown: unknown): AgentSessionError;
}

/** Sends a request, and resolves when its answer begins. */
export async function ask(
  api: ModelApi,
  request: ProviderRequest,
  signal: AbortSignal,
  options: OpenAIOptions,
  connected: () => Promise<Connection>,
): Promise<Answer> {
  const { client, wire, server, headers } = await connected();
  const { model } = options;
  const tools = request.tools.map((tool) => tool.name);
  const names = createWireNames(tools);
  const source = { names, offered: tools.map(names.toWire), server, model };
  const context = { signal, model, tools, names, redact: wire.redact };
  try {
    signal.throwIfAborted();
    const sending = { signal, headers: headers(request.idempotencyKey) };
    const { data, response } = await api.send(client, request, options, source, sending);
    const reader = api.createReader(source);
    return {
      stream: data,
      reader,
      watch: wire.watchOf(response),
      signal,
      toError: (thrown) =>
        toError(thrown, { ...context, answering: true, ending: endingOf(reader), headers: response.headers }),
    };
  } catch (thrown) {
    throw toError(thrown, { ...context, answering: false, ending: {} });
  }
}

/** The reason that came before an error; nothing without one. */
function endingOf({ rawFinishReason: finishReason }: AnswerReader): JsonObject {
  return finishReason === '' ? {} : { finishReason };
}
