import { expect, test } from 'vitest';
import { offeredModels, pricedProvider } from './models.ts';

test('a key offers the usual model of its vendor, and no key offers none', () => {
  expect(offeredModels({})).toEqual([]);
  expect(offeredModels({ BANISTER_MODELS: 'fast=openai:gpt-5-nano' })).toEqual([]);
  expect(offeredModels({ OPENAI_API_KEY: 'k' })).toEqual([
    { alias: 'default', vendor: 'openai', model: 'gpt-5-mini' },
  ]);
  expect(offeredModels({ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' })).toMatchObject([{ vendor: 'openai' }]);
  expect(offeredModels({ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }).map(({ alias }) => alias)).toEqual([
    'default',
    'anthropic',
  ]);
});

test('BANISTER_MODELS names the models, each with the key of its vendor', () => {
  const env = { OPENAI_API_KEY: 'k', BANISTER_MODELS: 'fast=openai:gpt-5-nano, slow=openai:gpt-5' };
  expect(offeredModels(env)).toEqual([
    { alias: 'fast', vendor: 'openai', model: 'gpt-5-nano' },
    { alias: 'slow', vendor: 'openai', model: 'gpt-5' },
  ]);
  expect(() => offeredModels({ ...env, BANISTER_MODELS: 'gpt-5' })).toThrow('is not of the form');
  expect(() => offeredModels({ ...env, BANISTER_MODELS: 'a=anthropic:claude-sonnet-5' })).toThrow(
    'needs ANTHROPIC_API_KEY',
  );
});

test('the window of a known model is there before its first request, and an unknown model has none', async () => {
  const env = { OPENAI_API_KEY: 'k' };
  const known = await pricedProvider({ alias: 'default', vendor: 'openai', model: 'gpt-5-mini' }, env);
  expect(known.capabilities.contextWindow).toBeGreaterThan(100_000);
  const unknown = await pricedProvider({ alias: 'own', vendor: 'openai', model: 'no-such-model' }, env);
  expect(unknown.capabilities.contextWindow).toBeUndefined();
});
