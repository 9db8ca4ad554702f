import type { Provider } from '@banister/provider';
import { createAgentSession } from '@banister/session';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { answerOf, request } from './kit/answer.js';
import { startByteServer } from './kit/byte-server.js';

interface Loaded {
  readonly create: (options: { model: string; baseURL?: string; client?: () => never }) => Provider;
  readonly preload: () => Promise<void>;
}

const openai = {
  preloadName: 'preloadOpenAI',
  code: '../packages/openai/src/stream-answer.js',
  client: 'openai',
  async load(): Promise<Loaded> {
    const { openai, preloadOpenAI } = await import('@banister/openai');
    return { create: openai, preload: preloadOpenAI };
  },
};

const anthropic = {
  preloadName: 'preloadAnthropic',
  code: '../packages/anthropic/src/stream-answer.js',
  client: '@anthropic-ai/sdk',
  async load(): Promise<Loaded> {
    const { anthropic, preloadAnthropic } = await import('@banister/anthropic');
    return { create: anthropic, preload: preloadAnthropic };
  },
};

describe.each([openai, anthropic])('$client', ({ preloadName, code, client, load }) => {
  const loaded: string[] = [];
  let offline = false;

  beforeEach(() => {
    loaded.length = 0;
    offline = false;
    // Each test imports the package anew, as a page that has loaded nothing yet.
    vi.resetModules();
    for (const chunk of [code, client]) {
      vi.doMock(chunk, (original) => {
        if (offline) throw new Error('offline');
        loaded.push(chunk);
        return original();
      });
    }
  });

  afterEach(() => {
    for (const chunk of [code, client]) vi.doUnmock(chunk);
    vi.resetModules();
  });

  test('Q8: a provider loads its code and its client at the first request', async () => {
    await using server = await startByteServer({ body: '' });
    const { create } = await load();
    const provider = create({ model: 'm', baseURL: server.url });
    expect(provider.validateTools?.([])).toEqual([]);
    expect(loaded).toEqual([]);
    await answerOf(provider, request()).catch(() => {});
    expect(loaded.sort()).toEqual([code, client].sort());
  });

  test('Q8: code that cannot be loaded fails the turn as `network`, and the next turn loads it again', async () => {
    await using server = await startByteServer({ body: '{"error":{"message":"none"}}', status: 501 });
    const { create } = await load();
    const provider = create({ model: 'm', baseURL: server.url });
    const session = createAgentSession({ provider, limits: { maxRetries: 0 } });
    offline = true;
    const failed = session.send('Hi');
    await expect(failed).rejects.toMatchObject({ code: 'network', retry: 'now' });
    await expect(failed).rejects.toThrow('The code for the model API could not be loaded');
    expect(server.arrivals).toHaveLength(0);

    offline = false;
    for (const chunk of [code, client]) vi.doUnmock(chunk);
    await expect(session.retry()).rejects.toMatchObject({ code: 'server' });
    expect(server.arrivals).toHaveLength(1);
    await session.dispose();
  });

  test(`Q8: after ${preloadName}() the first request loads nothing more`, async () => {
    await using server = await startByteServer({ body: '' });
    const { create, preload } = await load();
    await preload();
    expect(loaded.sort()).toEqual([code, client].sort());
    await answerOf(create({ model: 'm', baseURL: server.url }), request()).catch(() => {});
    expect(loaded).toHaveLength(2);
  });

  test('Q8: a client in the options replaces the official one', async () => {
    const { create } = await load();
    const provider = create({
      model: 'm',
      client: () => {
        throw new Error('no such region');
      },
    });
    const answer = answerOf(provider, request());
    await expect(answer).resolves.toMatchObject({ error: { code: 'invalid-configuration' } });
    expect(loaded).toEqual([code]);
  });
});
