import type { Provider } from './provider.js';

/** Returns the context window that a provider declares, in tokens; undefined where it is not known, or is no number above 0. */
export function contextWindowOf({ capabilities }: Pick<Provider, 'capabilities'>): number | undefined {
  const { contextWindow } = capabilities ?? {};
  return Number.isFinite(contextWindow) && contextWindow! > 0 ? contextWindow : undefined;
}
