import type { ProviderRequest } from '@banister/provider';
import type { OpenAI } from 'openai';
import type { AnswerReader, AnswerSource } from './answer-reader.js';
import { ChunkReader } from './chat/chunk-reader.js';
import { toRequest as toChatRequest } from './chat/to-request.js';
import type { OpenAIOptions } from './openai-options.js';
import { EventReader } from './responses/event-reader.js';
import { toRequest as toResponsesRequest } from './responses/to-request.js';

/** The events of an answer as the official client yields them, with the way to close its connection. */
export type EventStream = AsyncIterable<unknown> & { readonly controller: AbortController };

/** The transport settings of one request. */
export interface SendOptions {
  readonly signal: AbortSignal;
  readonly headers: Record<string, string>;
}

/** The part of this adapter that differs between OpenAI's two APIs. */
export interface ModelApi {
  /** Sends the request; resolves when the answer begins. */
  send(
    client: OpenAI,
    request: ProviderRequest,
    options: OpenAIOptions,
    source: AnswerSource,
    sending: SendOptions,
  ): Promise<{ readonly data: EventStream; readonly response: Response }>;
  createReader(source: AnswerSource): AnswerReader;
}

/** Chat Completions, and the Responses API with nothing stored at the server. */
export const modelApis: Readonly<Record<'chat' | 'responses', ModelApi>> = {
  chat: {
    send: (client, request, options, source, sending) =>
      client.chat.completions.create(toChatRequest(request, options, source), sending).withResponse(),
    createReader: (source) => new ChunkReader(source),
  },
  responses: {
    send: (client, request, options, source, sending) =>
      client.responses.create(toResponsesRequest(request, options, source), sending).withResponse(),
    createReader: (source) => new EventReader(source),
  },
};
