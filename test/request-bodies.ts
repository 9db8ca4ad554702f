import { anthropic } from '@banister/anthropic';
import { openai } from '@banister/openai';
import type { Provider, ProviderRequest } from '@banister/provider';
import type { RequestApi } from '@banister/testing';

/** The address and the model of every provider here; parts that only they understand name them. */
export const server = 'http://api.invalid/v1';
export const model = 'm';

/** Thrown in place of sending a request; holds its body. */
class Captured extends Error {
  constructor(readonly body: unknown) {
    super('The request is not sent.');
  }
}

const fetch: typeof globalThis.fetch = (_input, init) =>
  Promise.reject(new Captured(JSON.parse(String(init?.body))));

const providers: { readonly [A in RequestApi]: Provider } = {
  'openai-chat': openai({ model, baseURL: server, fetch }),
  'openai-responses': openai({ model, baseURL: server, api: 'responses', fetch }),
  'anthropic-messages': anthropic({
    model,
    baseURL: server,
    thinking: { type: 'enabled', budget_tokens: 2_048 },
    fetch,
  }),
};
/** The API refuses a forced tool with thinking, and the session sends none. */
const thoughtless = anthropic({ model, baseURL: server, fetch });

function providerOf(api: RequestApi, { toolChoice = 'none' }: ProviderRequest): Provider {
  return api === 'anthropic-messages' && toolChoice !== 'none' ? thoughtless : providers[api];
}

/** The APIs that requests are made for. */
export const apis = Object.keys(providers) as RequestApi[];

/** The JSON that an adapter makes of a request. */
export async function bodyOf(api: RequestApi, request: ProviderRequest): Promise<unknown> {
  try {
    for await (const event of providerOf(api, request).stream(request, new AbortController().signal))
      void event;
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause as Error) {
      if (cause instanceof Captured) return cause.body;
    }
    throw error;
  }
  throw new Error('The adapter has sent nothing.');
}
