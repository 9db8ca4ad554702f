// An app makes the official client itself, in each major of it.
import { openai } from '@banister/openai';
import { OpenAI } from 'openai';

openai({ model: 'gpt-5-mini', client: (given) => new OpenAI({ ...given, apiKey: 'sk-of-the-app' }) });
openai({
  model: 'deployment',
  client: async (given) => {
    const { AzureOpenAI } = await import('openai');
    return new AzureOpenAI({
      ...given,
      endpoint: 'https://a.example',
      apiKey: 'k',
      apiVersion: '2024-10-21',
    });
  },
});

// @ts-expect-error another object is no client
openai({ model: 'gpt-5-mini', client: () => ({ chat: {} }) });
