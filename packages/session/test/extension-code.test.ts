// The code of requests for more of a limit is fetched with that of questions, in the background.
import { afterEach, expect, it, vi } from 'vitest';
import { callTools, say, scriptedProvider } from '@handrail/testing';
import type * as library from '@handrail/session';
import type * as consent from '../src/session/consent-chunk.js';
import { addCard, createBoard } from './board.js';
import { codeOf } from './opened.js';

const consentModule = '../src/session/consent-chunk.js';
type ConsentModule = typeof consent;

/** A copy of the library that has not loaded the code of extensions yet. */
async function sessionsOn(load: (original: () => Promise<ConsentModule>) => Promise<ConsentModule>) {
  vi.resetModules();
  vi.doMock(consentModule, (original) => load(original as () => Promise<ConsentModule>));
  const { createAgentSession }: typeof library = await import('@handrail/session');
  const board = createBoard();
  const provider = scriptedProvider([callTools(addCard('A')), say('Done.')]);
  const create = (limits: library.GivenLimits) =>
    createAgentSession({ provider, domains: [board.domain()], limits });
  return { board, provider, create };
}

afterEach(() => {
  vi.doUnmock(consentModule);
  vi.resetModules();
});

it('a turn that asks fails as network where its code cannot be loaded, before it acts', async () => {
  let fetches = 0;
  const { board, provider, create } = await sessionsOn(() => {
    fetches++;
    return Promise.reject(new Error('Gone.'));
  });
  await using session = create({});
  expect(await codeOf(session.send('Go', { limits: { onTrip: 'ask' } }))).toBe('network');
  expect([provider.requests.length, board.titles, fetches > 0]).toEqual([0, [], true]);
  expect((await session.send('Go')).text).toBe('Done.');
});
