import type { Provider } from './provider.js';

/** Returns the context window that a provider declares, in tokens; undefined if it is unknown, or not a number above 0. */
export function contextWindowOf({ capabilities }: Pick<Provider, 'capabilities'>): number | undefined {
  const { contextWindow } = capabilities ?? {};
  return Number.isFinite(contextWindow) && contextWindow! > 0 ? contextWindow : undefined;
}
