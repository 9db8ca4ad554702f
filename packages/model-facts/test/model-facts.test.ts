import type { Provider, UsageReport } from '@banister/provider';
import { createAgentSession } from '@banister/session';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { modelFacts, withModelFacts } from '../src/index.js';
import { visionOf } from '../src/vision-of.js';

const million = 1_000_000;

/** A provider that answers with one word, and reports this usage. */
function countingProvider(usage: UsageReport, given: Partial<Provider> = {}): Provider {
  return {
    id: 'openai',
    model: 'gpt-5-mini',
    capabilities: { images: true },
    async *stream() {
      yield { type: 'text', delta: 'Hello.' };
      yield { type: 'usage', usage };
      yield { type: 'finish', reason: 'stop' };
    },
    ...given,
  };
}

describe('modelFacts', () => {
  test('AK-B16 has the price and the context window of a model', async () => {
    const facts = await modelFacts('openai', 'gpt-5-mini');
    expect(facts?.contextWindow).toBeGreaterThan(100_000);
    const input = facts!.costOf({ inputTokens: million, outputTokens: 0 })!;
    const output = facts!.costOf({ inputTokens: 0, outputTokens: million })!;
    expect(input.amount).toBeGreaterThan(0);
    expect(output.amount).toBeGreaterThan(input.amount);
    expect(input.currency).toBe('USD');
  });

  test('counts cached tokens at their own price, as part of the input', async () => {
    const facts = await modelFacts('anthropic', 'claude-sonnet-4-5');
    const costOf = (usage: UsageReport) =>
      facts!.costOf({ inputTokens: 1_000, outputTokens: 0, ...usage })!.amount;
    expect(costOf({ cachedInputTokens: 1_000 })).toBeLessThan(costOf({}));
    expect(costOf({ cacheWriteTokens: 1_000 })).toBeGreaterThan(costOf({}));
  });

  test('counts more cached tokens than were read, as some servers do', async () => {
    const facts = await modelFacts('openai', 'gpt-5-mini');
    expect(facts!.costOf({ inputTokens: 1, outputTokens: 1, cachedInputTokens: 5 })!.amount).toBeGreaterThan(
      0,
    );
  });

  test('has no cost for a report without input or output tokens', async () => {
    const facts = await modelFacts('openai', 'gpt-5-mini');
    expect(facts!.costOf({ inputTokens: 10 })).toBeUndefined();
    expect(facts!.costOf({ outputTokens: 10 })).toBeUndefined();
  });

  test('C26: model facts state how many tools a request may offer, if the vendor documents it', async () => {
    expect((await modelFacts('openai', 'gpt-5-mini'))?.maxTools).toBe(128);
    expect((await modelFacts('azure', 'gpt-4o'))?.maxTools).toBe(128);
    expect(await modelFacts('anthropic', 'claude-sonnet-4-5')).not.toHaveProperty('maxTools');
  });

  test('does not know every model', async () => {
    expect(await modelFacts('openai', 'our-own-deployment')).toBeNull();
    expect(await modelFacts('no-vendor', 'gpt-5-mini')).toBeNull();
  });
});

describe('a provider with the facts of its model', () => {
  test('adds the cost and the context pressure to usage reports', async () => {
    const provider = withModelFacts(countingProvider({ inputTokens: 40_000, outputTokens: 100 }));
    const session = createAgentSession({ provider });
    await session.send('Hi');
    expect(session.lastUsageReport.value?.cost?.amount).toBeGreaterThan(0);
    expect(provider.capabilities.contextWindow).toBeGreaterThan(40_000);
  });

  test('makes the cost limit work', async () => {
    const provider = withModelFacts(countingProvider({ inputTokens: million, outputTokens: million }));
    const session = createAgentSession({ provider, limits: { maxCost: 0.01 } });
    await expect(session.send('Hi')).rejects.toMatchObject({ code: 'cost-budget' });
    expect(session.budget.value.cost.left).toBe(0);
  });

  test('keeps values of the server and of the provider', async () => {
    const cost = { amount: 7, currency: 'EUR' };
    const provider = withModelFacts(
      countingProvider(
        { inputTokens: 1, outputTokens: 1, cost },
        { capabilities: { images: false, contextWindow: 1_000 } },
      ),
    );
    const session = createAgentSession({ provider });
    await session.send('Hi');
    expect(session.lastUsageReport.value?.cost).toEqual(cost);
    expect(provider.capabilities).toEqual({ images: false, contextWindow: 1_000, maxTools: 128 });
  });

  test('can be looked up under another name', async () => {
    const usage = { inputTokens: 10, outputTokens: 10 };
    const provider = withModelFacts(countingProvider(usage, { model: 'our-deployment', id: 'proxy' }), {
      vendor: 'openai',
      model: 'gpt-5-mini',
    });
    const session = createAgentSession({ provider });
    await session.send('Hi');
    expect(session.lastUsageReport.value?.cost?.amount).toBeGreaterThan(0);
  });

  test('does not change if the model is in no list', async () => {
    const provider = withModelFacts(
      countingProvider({ inputTokens: 10, outputTokens: 10 }, { model: 'qwen3' }),
    );
    const session = createAgentSession({ provider });
    await session.send('Hi');
    expect(session.lastUsageReport.value).toMatchObject({ inputTokens: 10 });
    expect(session.lastUsageReport.value?.cost).toBeUndefined();
    // The cap on tools belongs to the API, no matter which model.
    expect(provider.capabilities).toEqual({ images: true, maxTools: 128 });
  });
});

describe('images', () => {
  test.each([
    ['openai', 'gpt-5-mini', true],
    ['openai', 'gpt-4o-2024-08-06', true],
    ['openai', 'o4-mini', true],
    ['openai', 'o3', true],
    ['openai', 'o3-mini', false],
    ['openai', 'o1-mini', false],
    ['openai', 'gpt-4', false],
    ['openai', 'gpt-3.5-turbo', false],
    ['openai', 'gpt-4o-audio-preview', undefined],
    ['openai', 'our-own-deployment', undefined],
    ['anthropic', 'claude-sonnet-4-5', true],
    ['anthropic', 'claude-3-haiku-20240307', true],
    ['anthropic', 'claude-2.1', false],
    ['no-vendor', 'gpt-5-mini', undefined],
  ])('for %s, whether %s accepts images is %s', (vendor, model, expected) => {
    expect(visionOf(vendor, model)).toBe(expected);
  });

  test('are part of the facts', async () => {
    expect((await modelFacts('openai', 'gpt-5-mini'))?.vision).toBe(true);
    expect((await modelFacts('openai', 'o3-mini'))?.vision).toBe(false);
  });

  const png = { mediaType: 'image/png', data: 'iVBORw0KGgo=' };

  test('are refused before anything is sent to a model without vision, unless the options allow them', async () => {
    const model = countingProvider({ inputTokens: 1, outputTokens: 1 }, { model: 'o3-mini' });
    const blind = createAgentSession({ provider: withModelFacts(model) });
    await expect(blind.send({ text: 'Look', images: [png] })).rejects.toMatchObject({ code: 'unsupported' });
    const told = createAgentSession({ provider: withModelFacts(model, { images: true }) });
    expect((await told.send({ text: 'Look', images: [png] })).status).toBe('completed');
  });

  test('stay refused if the provider refuses them', () => {
    const model = countingProvider({}, { capabilities: { images: false } });
    expect(withModelFacts(model).capabilities.images).toBe(false);
  });
});

describe('the cap on tools', () => {
  test("is known at once, but the provider's own cap takes precedence", () => {
    const model = countingProvider({}, { id: 'openai' });
    expect(withModelFacts(model).capabilities.maxTools).toBe(128);
    expect(withModelFacts(model, { vendor: 'anthropic' }).capabilities).not.toHaveProperty('maxTools');
    const own = countingProvider({}, { id: 'openai', capabilities: { images: true, maxTools: Infinity } });
    expect(withModelFacts(own).capabilities.maxTools).toBe(Infinity);
  });
});

describe('price lists that cannot be loaded', () => {
  afterEach(() => {
    vi.doUnmock('@pydantic/genai-prices');
    vi.resetModules();
  });

  test('fail the turn before anything is sent, and are loaded again by the next turn', async () => {
    let broken = true;
    vi.resetModules();
    vi.doMock('@pydantic/genai-prices', async (importOriginal) => {
      if (broken) throw new Error('offline');
      return importOriginal();
    });
    const { withModelFacts: fresh } = await import('../src/index.js');
    const asked = vi.fn();
    const counting = countingProvider({ inputTokens: 10, outputTokens: 10 });
    const provider = fresh({
      ...counting,
      stream: (...args) => {
        asked();
        return counting.stream(...args);
      },
    });
    const session = createAgentSession({ provider, limits: { maxRetries: 0 } });
    await expect(session.send('Hi')).rejects.toMatchObject({ code: 'network' });
    expect(asked).not.toHaveBeenCalled();
    broken = false;
    vi.doUnmock('@pydantic/genai-prices');
    await session.retry();
    expect(session.lastUsageReport.value?.cost?.amount).toBeGreaterThan(0);
  });
});
