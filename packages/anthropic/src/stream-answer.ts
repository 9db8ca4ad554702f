import type { Anthropic } from '@anthropic-ai/sdk';
import type {
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages';
import type { Stream } from '@anthropic-ai/sdk/streaming';
import {
  createWireNames,
  isAgentSessionError,
  type AgentSessionError,
  type JsonObject,
  type ProviderEvent,
  type ProviderRequest,
} from '@banister/provider';
import {
  createContentCheck,
  createQuietEnd,
  errorIn,
  fieldsOf,
  keptPromise,
  noEvents,
  parseEvent,
  readBatches,
  suspectedError,
  textIn,
  type ContentCheck,
  type ClosableAnswer,
  type ServerEvent,
  type StreamAnswer,
} from '@banister/wire';
import { anthropicError } from './anthropic-error.js';
import type { AnthropicOptions } from './anthropic-options.js';
import { connect, type AnthropicConnection } from './connect.js';
import { continueRequest } from './continue-request.js';
import { MessageReader } from './message-reader.js';
import { toRequest } from './to-request.js';

/** How often a paused answer is continued. The server pauses after its own limit of steps. */
const MOST_CONTINUATIONS = 5;

/** A message that has begun to arrive, with its reader. */
interface OpenMessage extends ClosableAnswer {
  readonly reader: MessageReader;
  /** Classifies an error that was thrown while the message was read. */
  errorFrom(thrown: unknown): AgentSessionError;
  /** Sends the message back unchanged, and resolves when the next message begins. */
  continue(): Promise<OpenMessage>;
}

/**
 * Creates the function that sends requests and reads answers. All requests share one connection.
 *
 * @param Client the official client; unused if the options make a client
 */
export function createStreamAnswer(
  options: AnthropicOptions,
  Client: typeof Anthropic | undefined,
): StreamAnswer {
  const connection = keptPromise(() => connect(options, Client));
  const send = async (request: ProviderRequest, signal: AbortSignal): Promise<OpenMessage> => {
    try {
      return await sendRequest(request, signal, options, await connection.get());
    } catch (error) {
      // A client looks for credentials only once, so the next request gets a new client.
      if (isAgentSessionError(error) && error.code === 'auth') connection.drop();
      throw error;
    }
  };
  return (request, signal) => readAnswer(() => send(request, signal), createContentCheck(request), signal);
}

/** Sends a request of the Messages API, and resolves when its answer begins. */
async function sendRequest(
  request: ProviderRequest,
  signal: AbortSignal,
  options: AnthropicOptions,
  { client, wire, headers }: AnthropicConnection,
): Promise<OpenMessage> {
  const serverTools = (options.serverTools ?? []).map((tool) => textIn(tool['name']));
  const tools = [...serverTools, ...request.tools.map((tool) => tool.name)];
  // Names of server tools are fixed. A tool of the session with the same name gets another wire name.
  const names = createWireNames(tools);
  const isOwn = isOfAnthropic(client.baseURL);
  const context = { signal, model: options.model, tools, redact: wire.redact, address: client.baseURL };

  /** @param continued how many messages of the answer came before */
  const send = async (
    body: MessageCreateParamsStreaming,
    reader: MessageReader,
    continued: number,
  ): Promise<OpenMessage> => {
    const key = request.idempotencyKey + (continued === 0 ? '' : `-continued-${continued}`);
    const sending = { body, stream: true, signal, headers: headers(key) } as const;
    try {
      signal.throwIfAborted();
      // `messages.create` makes the same call, but also prints warnings about old models to the console.
      const posting = client.post<Stream<RawMessageStreamEvent>>('/v1/messages', sending);
      const { data: stream, response } = await posting.withResponse();
      return {
        stream,
        reader,
        watch: wire.watchOf(response),
        clock: wire.clock,
        errorFrom: (thrown) => {
          return anthropicError(thrown, {
            ...context,
            answering: true,
            hasParts: continued > 0 || reader.pieces > 0,
            ending: endingOf(reader),
            headers: response.headers,
          });
        },
        continue: () => {
          const next = continueRequest(body, reader.content(), reader.container);
          return send(next, new MessageReader(names, reader, isOwn), continued + 1);
        },
      };
    } catch (thrown) {
      throw anthropicError(thrown, { ...context, answering: continued > 0, ending: {} });
    }
  };
  return send(toRequest(request, options, names), new MessageReader(names, undefined, isOwn), 0);
}

/**
 * Yields the events of one answer. An answer may be several messages, because the server pauses long work of
 * its own tools until it gets the message back. The events end with `finish` only if something shows that the
 * answer is complete, because a cut stream ends like a finished stream.
 */
async function* readAnswer(
  send: () => Promise<OpenMessage>,
  content: ContentCheck,
  signal: AbortSignal,
): AsyncGenerator<readonly ProviderEvent[], void, undefined> {
  let message = await send();
  for (let continued = 0; ; continued++) {
    const { reader, errorFrom } = message;
    try {
      for await (const events of readMessage(message)) yield content.pass(events);
      signal.throwIfAborted();
    } catch (thrown) {
      // If the connection breaks after `message_stop`, nothing of the answer is lost.
      if (!reader.isOver || signal.aborted) throw errorFrom(thrown);
    } finally {
      letGo(message);
    }
    if (!reader.isPaused || continued === MOST_CONTINUATIONS) {
      yield content.pass(reader.end());
      return;
    }
    message = await message.continue();
  }
}

/** Yields the events of one message. */
async function* readMessage(message: OpenMessage): AsyncGenerator<readonly ProviderEvent[], void, undefined> {
  const { reader, watch } = message;
  const quiet = createQuietEnd(message);
  try {
    for await (const events of readBatches(message, parse, (event) => reader.read(event))) {
      yield events;
      // The watch ends the stream after `message_stop`. Without a watch, the loop has to break.
      if (reader.isOver && watch === undefined) break;
      quiet.heard(reader);
    }
  } catch (thrown) {
    if (!quiet.isReached) throw thrown;
  } finally {
    quiet.stop();
  }
  if (!reader.hasRead && fieldsOf(watch?.plain)['type'] === 'message') yield reader.read(watch?.plain);
  if (!reader.hasRead) throw noEvents(watch);
  // A connection that stayed open was not cut. So the answer is complete, even without its last event.
  if (quiet.isReached) yield reader.read({ type: 'message_stop' });
}

/**
 * Lets the client read to the end of a stream that was parsed here, because only then the client removes its
 * listener from the signal.
 */
function letGo({ stream, watch }: OpenMessage): void {
  if (!watch?.events) return;
  stream[Symbol.asyncIterator]()
    .next()
    .catch(() => {});
}

/** Returns one event as the client would yield it. The data of an error may lack the type `error`. */
function parse(event: ServerEvent): unknown {
  // `[DONE]` is the end mark of another API. Some proxies add it to every stream.
  if (event.data === '[DONE]') return undefined;
  const value = parseEvent(event);
  const fields = fieldsOf(value);
  const type = textIn(fields['type']);
  if (type === 'error' || !/^$|error$|^message_/i.test(type)) return value;
  const isPart = type.startsWith('message_');
  const error = errorIn(value) ?? (isPart ? errorIn(fields['message']) : suspectedError(fields));
  return error === undefined ? value : { type: 'error', error };
}

function isOfAnthropic(server: string): boolean {
  return URL.canParse(server) && /(?:^|\.)anthropic\.com$/.test(new URL(server).hostname);
}

/** Returns the stop reason that arrived before an error, for the error's details; empty if none arrived. */
function endingOf({ rawStopReason: stopReason }: MessageReader): JsonObject {
  return stopReason === '' ? {} : { stopReason };
}
