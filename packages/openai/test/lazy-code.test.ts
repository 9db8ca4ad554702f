import { createAgentSession } from '@handrail/session';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answerOf, request } from '../../../test/kit/answer.js';
import { startByteServer } from '../../../test/kit/byte-server.js';

const code = '../src/stream-answer.js';
const client = 'openai';
const loaded: string[] = [];
let offline = false;

beforeEach(() => {
  loaded.length = 0;
  offline = false;
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

const fresh = () => import('../src/index.js');

test('Q8: a provider loads neither its readers nor the client before the first request', async () => {
  await using server = await startByteServer({ body: '' });
  const { openai } = await fresh();
  const provider = openai({ model: 'm', baseURL: server.url });
  expect(provider.validateTools?.([])).toEqual([]);
  expect(loaded).toEqual([]);
  await answerOf(provider, request()).catch(() => {});
  expect(loaded.sort()).toEqual([code, client].sort());
});

test('Q8: code that cannot be loaded fails the turn with network, and the next turn loads it again', async () => {
  await using server = await startByteServer({ body: '{"error":{"message":"none"}}', status: 501 });
  const { openai } = await fresh();
  const provider = openai({ model: 'm', baseURL: server.url });
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

test('Q8: after preloadOpenAI() the first request loads nothing more', async () => {
  await using server = await startByteServer({ body: '' });
  const { openai, preloadOpenAI } = await fresh();
  await preloadOpenAI();
  expect(loaded.sort()).toEqual([code, client].sort());
  await answerOf(openai({ model: 'm', baseURL: server.url }), request()).catch(() => {});
  expect(loaded).toHaveLength(2);
});

test('Q8: a client of the options is used without the official one', async () => {
  const { openai } = await fresh();
  const provider = openai({
    model: 'm',
    client: () => {
      throw new Error('no such region');
    },
  });
  const answer = answerOf(provider, request());
  await expect(answer).resolves.toMatchObject({ error: { code: 'invalid-configuration' } });
  expect(loaded).toEqual([code]);
});
