import {
  AgentSessionError,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
} from '@handrail/session/provider';
import { keptPromise } from './kept-promise.js';
import { oneByOne } from './one-by-one.js';
import type { ServerOptions } from './server-options.js';

/** Sends a request, and yields the events of its answer: those that arrived together, as one batch. */
export type StreamAnswer = (
  request: ProviderRequest,
  signal: AbortSignal,
) => AsyncIterator<readonly ProviderEvent[], void>;

/** The part of an adapter that differs between APIs. */
export interface HttpAdapter extends Pick<Provider, 'id' | 'validateTools'> {
  /** Loads the code that sends requests and reads answers. It is called at the first request, and again if it rejected. */
  load(): Promise<StreamAnswer>;
}

/**
 * The provider of an API over HTTP. Only its description is there at once; the code for requests and answers is a chunk of
 * its own, so that a page loads no reader and no client before the first message is sent.
 *
 * `stream` throws `network` when that chunk cannot be loaded; the next request loads it again.
 *
 * @example
 * httpProvider(options, {
 *   id: 'example',
 *   load: async () => (await import('./stream-answer.js')).createStreamAnswer(options),
 * });
 */
export function httpProvider(
  { model, images = true, contextWindow }: ServerOptions,
  { id, validateTools, load }: HttpAdapter,
): Provider {
  const code = keptPromise(() => load().catch(codeNotLoaded));
  return {
    id,
    model,
    capabilities: { images, ...(contextWindow === undefined ? {} : { contextWindow }) },
    stream: (request, signal) => oneByOne(async () => (await code.get())(request, signal)),
    validateTools,
  };
}

function codeNotLoaded(cause: unknown): never {
  const message = 'The code for the model API could not be loaded. Check the connection, and try again.';
  throw new AgentSessionError('network', message, { cause });
}
