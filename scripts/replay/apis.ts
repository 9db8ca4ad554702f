import type { Provider, UsageReport } from '@banister/provider';

/** The APIs that recordings can be of. */
export const apiNames = ['openai-chat', 'openai-responses', 'anthropic-messages'] as const;

export type ApiName = (typeof apiNames)[number];

/** How a recording of an API is played and described. */
export interface Api {
  /** @param url of the server, without a path */
  createProvider(url: string, fetch?: typeof globalThis.fetch): Promise<Provider>;
  /** Token counts under the names of an index's facts; null for a count that the server did not state. */
  usageOf(usage: UsageReport): Readonly<Record<string, number | null>>;
  /** The body for further requests, if the recording holds only the beginning of an answer. */
  readonly nothingMore: string;
}

export function isApiName(name: string): name is ApiName {
  return apiNames.some((known) => known === name);
}

// Without a key, as for a server on this machine: nothing from the environment is sent.
const openaiApi = (api: 'chat' | 'responses'): Api => ({
  async createProvider(url, fetch) {
    const { openai } = await import('@banister/openai');
    return openai({ model: 'recorded', api, baseURL: `${url}/v1`, ...(fetch ? { fetch } : {}) });
  },
  usageOf: (usage) => ({
    input: usage.inputTokens ?? null,
    output: usage.outputTokens ?? null,
    total: usage.totalTokens ?? null,
    reasoning: usage.reasoningTokens ?? null,
    cachedInput: usage.cachedInputTokens ?? null,
  }),
  nothingMore: '',
});

const anthropicApi: Api = {
  async createProvider(url, fetch) {
    const { anthropic } = await import('@banister/anthropic');
    return anthropic({ model: 'recorded', baseURL: url, ...(fetch ? { fetch } : {}) });
  },
  usageOf: ({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }) => ({
    // The API does not count cached tokens as input, but the session does.
    input:
      inputTokens === undefined ? null : inputTokens - (cachedInputTokens ?? 0) - (cacheWriteTokens ?? 0),
    output: outputTokens ?? null,
    cacheRead: cachedInputTokens ?? null,
    cacheWrite: cacheWriteTokens ?? null,
  }),
  // If the server paused a message, it is sent back to be continued: the server pauses again and adds nothing.
  nothingMore: [
    { type: 'message_start', message: { id: 'msg_after_the_recording', type: 'message', role: 'assistant' } },
    { type: 'message_delta', delta: { stop_reason: 'pause_turn' } },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join(''),
};

export const apis: { readonly [A in ApiName]: Api } = {
  'openai-chat': openaiApi('chat'),
  'openai-responses': openaiApi('responses'),
  'anthropic-messages': anthropicApi,
};
