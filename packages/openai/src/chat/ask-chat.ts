import { createWireNames, type AgentSessionError, type ProviderRequest } from '@handrail/session/provider';
import type { Connection } from '../connect.js';
import type { OpenAIOptions } from '../openai-options.js';
import { toError } from '../to-error.js';
import type { EventWatch } from '../watch-events.js';
import { ChunkReader } from './chunk-reader.js';
import { toRequest } from './to-request.js';

/** An answer that has begun. */
export interface ChatAnswer {
  readonly chunks: AsyncIterable<unknown>;
  readonly reader: ChunkReader;
  /** What the bytes told; undefined when the client did not use our `fetch`. */
  readonly watch: EventWatch | undefined;
  readonly signal: AbortSignal;
  /** What was thrown while it was read, as one of our errors. */
  toError(thrown: unknown, malformedLine: string): AgentSessionError;
}

/** Sends a request of the Chat Completions API, and resolves when its answer begins. */
export async function askChat(
  request: ProviderRequest,
  signal: AbortSignal,
  options: OpenAIOptions,
  connected: () => Promise<Connection>,
): Promise<ChatAnswer> {
  const { client, server, headers, watchOf, redact } = await connected();
  const tools = request.tools.map((tool) => tool.name);
  const names = createWireNames(tools);
  const body = toRequest(request, options, names, server);
  const reader = new ChunkReader({ names, offered: tools.map(names.toWire), server });
  const context = { signal, model: options.model, tools, names, redact };
  try {
    signal.throwIfAborted();
    const { data, response } = await client.chat.completions
      .create(body, { signal, headers: headers(request.idempotencyKey) })
      .withResponse();
    return {
      chunks: data,
      reader,
      watch: watchOf(response),
      signal,
      toError: (thrown, malformedLine) =>
        toError(thrown, { ...context, answering: true, finishReason: reader.rawFinishReason, malformedLine }),
    };
  } catch (thrown) {
    throw toError(thrown, { ...context, answering: false, finishReason: '', malformedLine: '' });
  }
}
