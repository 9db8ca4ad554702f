// The floor over HTTP: the official client's own iterator, and one string concatenation for each delta.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

const messages = [{ role: 'user', content: 'Hello' }];
const streams = {
  chat: async (baseURL) =>
    new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 }).chat.completions.create({
      model: 'bench',
      messages,
      stream: true,
    }),
  responses: async (baseURL) =>
    new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 }).responses.create({
      model: 'bench',
      input: 'Hello',
      stream: true,
    }),
  messages: async (baseURL) =>
    new Anthropic({ apiKey: 'none', baseURL, maxRetries: 0 }).messages.create({
      model: 'bench',
      max_tokens: 1_000,
      messages,
      stream: true,
    }),
};
const deltaIn = {
  chat: (chunk) => chunk.choices[0]?.delta.content,
  responses: (event) => (event.type === 'response.output_text.delta' ? event.delta : undefined),
  messages: (event) => (event.type === 'content_block_delta' ? event.delta.text : undefined),
};

export function createSdkIterator({ api, baseURL }) {
  let text = '';
  return {
    async send() {
      for await (const event of await streams[api](baseURL)) {
        const delta = deltaIn[api](event);
        if (delta) text += delta;
      }
    },
    text: () => text,
    watch: () => () => {},
  };
}
