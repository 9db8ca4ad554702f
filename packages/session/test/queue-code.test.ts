// The commands of the queue are a chunk of their own, which is fetched in the background.
import { afterEach, expect, it, vi } from 'vitest';
import { say, scriptedProvider } from '@handrail/testing';
import type * as library from '@handrail/session';
import type * as queue from '../src/session/queue.js';
import { codeOf } from './opened.js';

const queueModule = '../src/session/queue.js';
type QueueModule = typeof queue;

/** A session of a copy of the library that has not loaded the code of the queue yet. */
async function sessionOn(load: (original: () => Promise<QueueModule>) => Promise<QueueModule>) {
  vi.resetModules();
  vi.doMock(queueModule, (original) => load(original as () => Promise<QueueModule>));
  const { createAgentSession }: typeof library = await import('@handrail/session');
  return createAgentSession({
    provider: scriptedProvider([say('Hello.'), say('Again.'), say('And again.')]),
  });
}

afterEach(() => {
  vi.doUnmock(queueModule);
  vi.resetModules();
});

it('a command of the queue whose code cannot be fetched rejects network, and the next one fetches again', async () => {
  let fetches = 0;
  const session = await sessionOn((original) =>
    ++fetches <= 2 ? Promise.reject(new Error('Gone.')) : original(),
  );
  const turn = session.send('Hi');
  // The session fetches the code when it is created.
  expect(await codeOf(session.enqueue('Behind'))).toBe('network');
  expect(session.queue.value).toEqual([]);
  expect((await turn).text).toBe('Hello.');
  await vi.waitUntil(
    () =>
      session.resumeQueue().then(
        () => true,
        () => false,
      ),
    30_000,
  );
  expect(await session.enqueue('Again')).toBe('completed');
  expect(session.turns.value).toHaveLength(2);
  await session.dispose();
});

it('commands that wait for their code are carried out in the order of their calls', async () => {
  let arrive!: () => void;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const session = await sessionOn((original) => arrived.then(original));
  const order: string[] = [];
  const turn = session.send('Hi');
  const first = session.enqueue('Again', { id: 'a' }).then(() => order.push('a'));
  const second = session.enqueue('And again', { id: 'b' }).then(() => order.push('b'));
  await turn;
  expect(session.queue.value).toEqual([]);
  arrive();
  await first;
  await second;
  expect(order).toEqual(['a', 'b']);
  await session.dispose();
});

it('an idle session starts the turn of a message at once, without the code of the queue', async () => {
  const session = await sessionOn(() => Promise.reject(new Error('Gone.')));
  const first = session.enqueue('Hi');
  expect(session.isRunning.value).toBe(true);
  expect(await codeOf(session.send('Too late'))).toBe('already-running');
  expect(await first).toBe('completed');
  expect(await session.steer('Again')).toBe('queued');
  expect(session.isRunning.value).toBe(true);
  expect((await session.cancel()).cancelled).toBe(true);
  expect(await codeOf(session.enqueue('And again', { id: '' }))).toBe('invalid-input');
  expect(await codeOf(session.enqueue('And again', { provider: 1 } as object))).toBe('invalid-configuration');
  await session.dispose();
});

it('a session whose code is there is running when its first enqueue returns', async () => {
  const { createAgentSession, preloadTurns } = await import('@handrail/session');
  await preloadTurns();
  const session = createAgentSession({ provider: scriptedProvider([say('Hello.')]) });
  const first = session.enqueue('Hi');
  expect(session.isRunning.value).toBe(true);
  expect(await codeOf(session.send('Too late'))).toBe('already-running');
  expect(await first).toBe('completed');
  await session.dispose();
});
