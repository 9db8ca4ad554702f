import type { OpenAI } from 'openai';
import type { ProviderRequest } from '@handrail/session/provider';
import type { AnswerReader, AnswerSource } from './answer-reader.js';
import type { OpenAIOptions } from './openai-options.js';

/** What the official client yields, event by event, with the way to close its connection. */
export type EventStream = AsyncIterable<unknown> & { readonly controller: AbortController };

/** How a request leaves. */
export interface SendOptions {
  readonly signal: AbortSignal;
  readonly headers: Record<string, string>;
}

/** What tells one of OpenAI's APIs from the other. */
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
