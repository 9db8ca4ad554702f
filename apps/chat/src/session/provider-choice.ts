import type { Provider } from '@handrail/session';
import { offline, type OfflineOptions } from '../offline/offline-provider.js';

export type ProviderKind = 'offline' | 'openai' | 'ollama';

/** Where to reach a server that speaks OpenAI's Chat Completions. The key stays in memory: it is never saved. */
export interface ServerSettings {
  readonly baseURL: string;
  readonly model: string;
  readonly apiKey: string;
}

export const providerLabels: Readonly<Record<ProviderKind, string>> = {
  offline: 'Offline',
  openai: 'OpenAI-compatible',
  ollama: 'Ollama',
};

export const serverPresets: Readonly<Record<Exclude<ProviderKind, 'offline'>, ServerSettings>> = {
  openai: { baseURL: 'https://api.openai.com/v1', model: 'gpt-5-mini', apiKey: '' },
  ollama: { baseURL: 'http://localhost:11434/v1', model: 'qwen3', apiKey: '' },
};

/** Makes the provider of a choice. Throws `invalid-configuration` for settings that cannot work. */
export async function makeProvider(
  kind: ProviderKind,
  { baseURL, model, apiKey }: ServerSettings,
  offlineOptions: OfflineOptions,
): Promise<Provider> {
  if (kind === 'offline') return offline(offlineOptions);
  // Loaded when somebody chooses it: who stays offline never downloads it.
  const { openai } = await import('@handrail/openai');
  return openai({
    baseURL,
    model,
    ...(apiKey === '' ? {} : { apiKey, dangerouslyAllowBrowser: true }),
  });
}
