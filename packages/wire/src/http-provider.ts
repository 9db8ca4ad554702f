import {
  AgentSessionError,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
} from '@banister/provider';
import { identityIn } from './model-identity.js';
import { keptPromise } from './kept-promise.js';
import { oneByOne } from './one-by-one.js';
import type { ServerOptions } from './server-options.js';

/**
 * Sends a request and yields the events of its answer in batches. Events that arrived together are one batch.
 */
export type StreamAnswer = (
  request: ProviderRequest,
  signal: AbortSignal,
) => AsyncIterator<readonly ProviderEvent[], void>;

/** The part of an adapter that differs between APIs. */
export interface HttpAdapter extends Pick<Provider, 'id' | 'validateTools'> {
  /** Whether the API accepts images in tool results, for a model that accepts images. Default true. */
  readonly imagesInResults?: boolean;
  /** The highest number of tools in one request, if the options do not set it. Default: no limit. */
  readonly mostTools?: number;
  /**
   * Loads the code that sends requests and reads answers. Called at the first request, and again after a
   * rejection.
   */
  load(): Promise<StreamAnswer>;
}

/**
 * Returns a provider for an API over HTTP. Only its description is loaded at once. The code for requests and
 * answers is a separate chunk, so a page loads no reader and no client before the first message is sent.
 *
 * `stream` throws `network` if that chunk cannot be loaded; the next request tries again.
 *
 * @example
 * httpProvider(options, {
 *   id: 'example',
 *   load: async () => (await import('./stream-answer.js')).createStreamAnswer(options),
 * });
 */
export function httpProvider(
  options: ServerOptions,
  { id, imagesInResults = true, mostTools, validateTools, load }: HttpAdapter,
): Provider {
  const {
    images = true,
    pdfs = true,
    contextWindow,
    toolChoices = ['none', 'required', 'tool'],
    structuredOutput = true,
    maxTools = mostTools,
  } = options;
  const { server, account, model } = identityIn(id, options);
  const code = keptPromise(() => load().catch(codeNotLoaded));
  return {
    id,
    model,
    server,
    account,
    capabilities: {
      images,
      imagesInResults: images && imagesInResults,
      pdfs,
      toolChoices,
      structuredOutput,
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(maxTools === undefined ? {} : { maxTools }),
    },
    stream: (request, signal) => oneByOne(async () => (await code.get())(request, signal)),
    validateTools,
  };
}

function codeNotLoaded(cause: unknown): never {
  const message = 'The code for the model API could not be loaded. Check the connection and try again.';
  throw new AgentSessionError('network', message, { cause });
}
