// The code of reviews is a chunk of its own, which is fetched in the background.
import { afterEach, expect, it, vi } from 'vitest';
import { callTools, say, scriptedProvider } from '@handrail/testing';
import type * as library from '@handrail/session';
import type * as review from '../src/session/review-chunk.js';
import { codeOf } from './opened.js';
import { call, createForm } from './reviewed.js';

const reviewModule = '../src/session/review-chunk.js';
type ReviewModule = typeof review;

/** A session of a copy of the library that has not loaded the code of reviews yet. */
async function sessionOn(load: (original: () => Promise<ReviewModule>) => Promise<ReviewModule>) {
  vi.resetModules();
  vi.doMock(reviewModule, (original) => load(original as () => Promise<ReviewModule>));
  const { createAgentSession }: typeof library = await import('@handrail/session');
  const form = createForm();
  const provider = scriptedProvider([callTools(call('set', 'a', '1')), say('Done.')]);
  return { form, provider, session: createAgentSession({ provider, domains: [form.domain()] }) };
}

afterEach(() => {
  vi.doUnmock(reviewModule);
  vi.resetModules();
});

it('the code of reviews is fetched when a session is created, and a turn with a review then needs no network', async () => {
  let isOffline = false;
  let fetches = 0;
  const { form, session } = await sessionOn((original) => {
    fetches++;
    return isOffline ? Promise.reject(new Error('Offline.')) : original();
  });
  await vi.waitUntil(() => fetches > 0, { timeout: 30_000 });
  isOffline = true;
  const turn = session.send('Go', { commit: 'review' });
  await vi.waitUntil(() => session.phase.value === 'reviewing', { timeout: 30_000 });
  await session.accept();
  expect((await turn).status).toBe('completed');
  expect(form.fields).toEqual({ a: '1' });
  await session.dispose();
});

it('a turn whose review cannot be fetched fails with network before it acts', async () => {
  const { form, provider, session } = await sessionOn(() => Promise.reject(new Error('Gone.')));
  expect(await codeOf(session.send('Go', { commit: 'review' }))).toBe('network');
  expect([provider.requests.length, form.fields]).toEqual([0, {}]);
  expect((await session.send('Go')).text).toBe('Done.');
  await session.dispose();
});
