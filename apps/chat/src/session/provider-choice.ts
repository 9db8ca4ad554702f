import type { Provider } from '@banister/session';
import { offline, type OfflineOptions } from '../offline/offline-provider.js';
import type { DeviceModel } from './device-model.js';
import { isGateway, type GatewayKind, type GatewayOffer } from './gateway-offer.js';

export type ProviderKind = 'offline' | 'device' | ServerKind | GatewayKind;

/** Providers that need the address of a server. */
export type ServerKind = 'openai' | 'ollama';

/** The address of a server with OpenAI's Chat Completions API. The key stays in memory and is never saved. */
export interface ServerSettings {
  readonly baseURL: string;
  readonly model: string;
  readonly apiKey: string;
}

/** The choices that every page has. */
export const providerLabels: Readonly<Record<Exclude<ProviderKind, GatewayKind>, string>> = {
  offline: 'Rules, offline',
  device: 'On this device',
  openai: 'OpenAI-compatible',
  ollama: 'Ollama',
};

export const serverPresets: Readonly<Record<ServerKind, ServerSettings>> = {
  openai: { baseURL: 'https://api.openai.com/v1', model: 'gpt-5-mini', apiKey: '' },
  ollama: { baseURL: 'http://localhost:11434/v1', model: 'qwen3', apiKey: '' },
};

/** Returns true for the kinds that need the settings of a server. */
export function isServer(kind: ProviderKind): kind is ServerKind {
  return kind in serverPresets;
}

/**
 * Makes the chosen provider. Rejects with `invalid-configuration` for settings that cannot work, and with an
 * `Error` whose message is for users if the provider's code cannot be fetched.
 */
export async function makeProvider(
  kind: ProviderKind,
  settings: ServerSettings | undefined,
  offlineOptions: OfflineOptions,
  device: DeviceModel,
  gateway: GatewayOffer | null,
): Promise<Provider> {
  if (kind === 'offline') return offline(offlineOptions);
  if (isGateway(kind)) return gatewayProvider(kind, gateway);
  if (kind === 'device') return device.provider;
  const { baseURL, model, apiKey } = settings ?? serverPresets[kind];
  const openai = await loadOpenAI().catch(() => {
    // The browser's own message names a file, which does not help a user.
    throw new Error(
      `${providerLabels[kind]} could not be loaded. Check the connection and load the page again.`,
    );
  });
  return openai({
    baseURL,
    model,
    ...(apiKey === '' ? {} : { apiKey, dangerouslyAllowBrowser: true }),
  });
}

/** Loads the code of the gateway's models, which a page without a gateway never needs. */
export async function gatewayProvider(kind: GatewayKind, gateway: GatewayOffer | null): Promise<Provider> {
  if (gateway === null) throw new Error('The server of this page has no gateway.');
  const { gatewayModel } = await import('./gateway-model.js').catch(() => {
    throw new Error('The gateway could not be loaded. Check the connection and load the page again.');
  });
  return gatewayModel(gateway, kind);
}

/**
 * Loads all code of the provider when it is chosen. So a visitor who keeps the rules never downloads it, and
 * a server on the visitor's own machine needs no network from then on.
 */
async function loadOpenAI() {
  const { openai, preloadOpenAI } = await import('@banister/openai');
  await preloadOpenAI();
  return openai;
}
