import type {
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages';
import type { Stream } from '@anthropic-ai/sdk/streaming';
import {
  createWireNames,
  type AgentSessionError,
  type JsonObject,
  type ProviderRequest,
} from '@handrail/session/provider';
import { textIn, type EventWatch } from '@handrail/wire';
import type { AnthropicOptions } from './anthropic-options.js';
import type { Connection } from './connect.js';
import { continueRequest } from './continue-request.js';
import { MessageReader } from './message-reader.js';
import { toError } from './to-error.js';
import { toRequest } from './to-request.js';

/** A message that has begun to arrive. */
export interface MessageAnswer {
  readonly stream: AsyncIterable<unknown>;
  readonly reader: MessageReader;
  /** What the bytes told; undefined when the client did not use our `fetch`. */
  readonly watch: EventWatch | undefined;
  readonly signal: AbortSignal;
  /** What was thrown while it was read, as one of our errors. */
  toError(thrown: unknown): AgentSessionError;
  /** Sends the message back as it is, and resolves when the next one, which continues it, begins. */
  continue(): Promise<MessageAnswer>;
}

/** Sends a request of the Messages API, and resolves when its answer begins. */
export async function askMessages(
  request: ProviderRequest,
  signal: AbortSignal,
  options: AnthropicOptions,
  connected: () => Promise<Connection>,
): Promise<MessageAnswer> {
  const { client, wire, headers } = await connected();
  const serverTools = (options.serverTools ?? []).map((tool) => textIn(tool['name']));
  const tools = request.tools.map((tool) => tool.name);
  // Names of server tools are fixed; one of ours that would be the same becomes another.
  const names = createWireNames([...serverTools, ...tools]);
  const context = { signal, model: options.model, tools: [...serverTools, ...tools], redact: wire.redact };

  const send = async (
    body: MessageCreateParamsStreaming,
    reader: MessageReader,
    key: string,
    count: number,
  ): Promise<MessageAnswer> => {
    try {
      signal.throwIfAborted();
      // `messages.create` is this call, and a line on the console for models that will be retired one day.
      const { data, response } = await client
        .post<Stream<RawMessageStreamEvent>>('/v1/messages', {
          body,
          stream: true,
          signal,
          headers: headers(key),
        })
        .withResponse();
      return {
        stream: data,
        reader,
        watch: wire.watchOf(response),
        signal,
        toError: (thrown) =>
          toError(thrown, {
            ...context,
            answering: true,
            ending: endingOf(reader),
            headers: response.headers,
          }),
        continue: () =>
          send(
            continueRequest(body, reader.content(), reader.container),
            new MessageReader(names, reader),
            `${request.idempotencyKey}-continued-${count + 1}`,
            count + 1,
          ),
      };
    } catch (thrown) {
      throw toError(thrown, { ...context, answering: count > 0, ending: {} });
    }
  };
  return send(toRequest(request, options, names), new MessageReader(names), request.idempotencyKey, 0);
}

/** The reason that came before an error; nothing without one. */
function endingOf({ rawStopReason: stopReason }: MessageReader): JsonObject {
  return stopReason === '' ? {} : { stopReason };
}
