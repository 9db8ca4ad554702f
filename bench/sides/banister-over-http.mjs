// A whole session over HTTP: the provider, the turn, and a reader of every publication.
import { anthropic, openai } from './built-providers.mjs';
import { createAgentSession, effect } from './built-session.mjs';

const providers = {
  chat: (baseURL) => openai({ model: 'bench', baseURL, apiKey: 'none' }),
  responses: (baseURL) => openai({ model: 'bench', baseURL, apiKey: 'none', api: 'responses' }),
  messages: (baseURL) => anthropic({ model: 'bench', baseURL, apiKey: 'none', maxTokens: 1_000 }),
};

export function createBanisterOverHttp({ api, baseURL }) {
  const session = createAgentSession({ provider: providers[api](baseURL) });
  return {
    async send() {
      const { status, error } = await session.send('Hello');
      if (status !== 'completed') throw new Error(`${status}: ${error?.message}`);
    },
    text: () => session.currentText.peek(),
    watch: (reader) =>
      effect(() => {
        void session.currentText.value;
        reader();
      }),
  };
}
