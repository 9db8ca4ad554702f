import type { ApiName } from '../replay/apis.js';

/** Whether bytes hold a whole event that ends an answer. This does not use the code under test. */
export function hasEvidence(bytes: Buffer, api: ApiName): boolean {
  return bytes
    .toString()
    .split(/\r?\n/)
    .some((line) => {
      const data = line.replace(/^data: ?/, '');
      if (data === line) return false;
      if (api === 'openai-chat' && data.startsWith('[DONE]')) return true;
      try {
        return endsAnswer[api](JSON.parse(data) as Event);
      } catch {
        return false;
      }
    });
}

interface Event {
  readonly type?: string;
  readonly choices?: readonly { readonly finish_reason?: string | null }[];
}

const endsAnswer: { readonly [A in ApiName]: (event: Event) => boolean } = {
  'openai-chat': ({ choices = [] }) => choices.some((choice) => Boolean(choice.finish_reason)),
  'openai-responses': ({ type }) => type === 'response.completed' || type === 'response.incomplete',
  'anthropic-messages': ({ type }) => type === 'message_stop',
};
