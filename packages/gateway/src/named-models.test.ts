import { expect, test, vi } from 'vitest';
import { providerOf } from './named-models.js';

const preloads = vi.hoisted(() => ({ openai: vi.fn(), anthropic: vi.fn() }));

vi.mock('@banister/openai', async (original) => ({
  ...(await original<object>()),
  preloadOpenAI: preloads.openai,
}));
vi.mock('@banister/anthropic', async (original) => ({
  ...(await original<object>()),
  preloadAnthropic: preloads.anthropic,
}));

test.each(['openai', 'anthropic'] as const)(
  'the request code of a named model of %s is loaded before the first request, and a failure is reported by the first request',
  async (vendor) => {
    preloads[vendor].mockRejectedValue(new Error('no such chunk'));
    const provider = await providerOf(
      { vendor, model: 'm' },
      { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' },
    );
    expect(provider.id).toBe(vendor);
    expect(preloads[vendor]).toHaveBeenCalledTimes(1);
  },
);
