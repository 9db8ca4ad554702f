import {
  createWireNames,
  isAgentSessionError,
  type AgentSessionError,
  type JsonObject,
  type ProviderEvent,
  type ProviderRequest,
} from '@banister/provider';
import type { OpenAI } from 'openai';
import {
  createContentCheck,
  createQuietEnd,
  fieldsOf,
  keptPromise,
  noEvents,
  parseEvent,
  readBatches,
  type ContentCheck,
  type ClosableAnswer,
  type ServerEvent,
  type StreamAnswer,
} from '@banister/wire';
import type { AnswerReader } from './answer-reader.js';
import { connect, type OpenAIConnection } from './connect.js';
import { modelApis, type ModelApi } from './model-api.js';
import { openaiError } from './openai-error.js';
import type { OpenAIOptions } from './openai-options.js';

/** An answer that has begun, with its reader. */
interface ReadableAnswer extends ClosableAnswer {
  readonly reader: AnswerReader;
  /** Classifies an error that was thrown while the answer was read. */
  errorFrom(thrown: unknown): AgentSessionError;
}

/**
 * Creates the function that sends requests and reads answers. All requests share one connection.
 *
 * @param Client the official client; unused if the options make a client
 */
export function createStreamAnswer(options: OpenAIOptions, Client: typeof OpenAI | undefined): StreamAnswer {
  const api = modelApis[options.api ?? 'chat'];
  const connection = keptPromise(() => connect(options, Client));
  return (request, signal) => {
    const send = async () => sendRequest(api, request, signal, options, await connection.get());
    return readAnswer(send, createContentCheck(request), signal);
  };
}

/** Sends a request, and resolves when its answer begins. */
async function sendRequest(
  api: ModelApi,
  request: ProviderRequest,
  signal: AbortSignal,
  options: OpenAIOptions,
  { client, wire, headers }: OpenAIConnection,
): Promise<ReadableAnswer> {
  const { model } = options;
  const tools = request.tools.map((tool) => tool.name);
  const names = createWireNames(tools);
  const source = { names, offered: tools.map(names.toWire), server: client.baseURL, model };
  const context = { signal, model, tools, names, redact: wire.redact, address: client.baseURL };
  try {
    signal.throwIfAborted();
    const sending = { signal, headers: headers(request.idempotencyKey) };
    const { data: stream, response } = await api.send(client, request, options, source, sending);
    const reader = api.createReader(source);
    const { headers: answerHeaders } = response;
    return {
      stream,
      reader,
      watch: wire.watchOf(response),
      clock: wire.clock,
      errorFrom: (thrown) =>
        openaiError(thrown, {
          ...context,
          answering: true,
          hasParts: reader.pieces > 0,
          ending: endingOf(reader),
          headers: answerHeaders,
        }),
    };
  } catch (thrown) {
    throw openaiError(thrown, { ...context, answering: false, ending: {} });
  }
}

/**
 * Yields the events of the answer to a request. They end with `finish` only if something shows that the
 * answer is complete, because a cut stream ends like a finished stream.
 */
async function* readAnswer(
  send: () => Promise<ReadableAnswer>,
  content: ContentCheck,
  signal: AbortSignal,
): AsyncGenerator<readonly ProviderEvent[], void, undefined> {
  const answer = await send();
  const { reader, watch, errorFrom } = answer;
  const quiet = createQuietEnd(answer);
  try {
    try {
      for await (const events of readBatches(answer, untilDone(), (chunk) => reader.read(chunk))) {
        yield content.pass(events);
        quiet.heard(reader);
      }
    } catch (thrown) {
      // If the connection breaks after the stated end of the answer, nothing of the answer is lost.
      const isWhole = reader.isOver || (reader.isStated && isTransportFailure(thrown));
      if (!isWhole) throw thrown;
    }
    signal.throwIfAborted();
    let done = watch?.done ?? false;
    if (!reader.hasRead && reader.isAnswer(watch?.plain)) {
      yield content.pass(reader.read(watch?.plain));
      done = true;
    }
    if (!reader.hasRead && (!done || watch?.plain !== undefined)) throw noEvents(watch);
    yield content.pass(reader.end(done));
  } catch (thrown) {
    throw errorFrom(thrown);
  } finally {
    quiet.stop();
  }
}

/** Parses chunks up to `[DONE]`. Events after it are left out. */
function untilDone(): (event: ServerEvent) => unknown {
  let isDone = false;
  return (event) => {
    isDone ||= event.data.startsWith('[DONE]');
    return isDone ? undefined : parseEvent(event);
  };
}

/**
 * Returns true for an error of the connection; false for an error that the server stated, and for a malformed
 * event.
 */
function isTransportFailure(thrown: unknown): boolean {
  if (isAgentSessionError(thrown)) return thrown.code === 'interrupted';
  // The client's own errors about status and content have these fields. A SyntaxError is an event that is not
  // JSON.
  const { status, error } = fieldsOf(thrown);
  return status === undefined && error === undefined && !(thrown instanceof SyntaxError);
}

/** Returns the finish reason that arrived before an error, for the error's details; empty if none arrived. */
function endingOf({ rawFinishReason: finishReason }: AnswerReader): JsonObject {
  return finishReason === '' ? {} : { finishReason };
}
