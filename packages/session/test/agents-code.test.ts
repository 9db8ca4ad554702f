// When the code of child turns is fetched.
import { afterEach, expect, it, vi } from 'vitest';
import { say, scriptedProvider } from '@banister/testing';
import type * as library from '@banister/session';

const childrenModule = '../src/children/run-child.js';

afterEach(() => {
  vi.doUnmock(childrenModule);
  vi.resetModules();
});

it('V4: a session with agents fetches the code of child turns when it is created, so that a loaded page works offline', async () => {
  vi.resetModules();
  const children = vi.fn((original: () => Promise<object>) => original());
  vi.doMock(childrenModule, (original) => children(original as () => Promise<object>));
  const { createAgentSession, defineAgent, preloadTurns }: typeof library = await import('@banister/session');
  const provider = scriptedProvider([say('Hello.')]);
  await createAgentSession({ provider }).dispose();
  await preloadTurns();
  expect(children).not.toHaveBeenCalled();
  const agents = [defineAgent({ id: 'helper', role: 'You help.' })];
  const session = createAgentSession({ provider, agents });
  await vi.waitFor(() => expect(children).toHaveBeenCalledOnce(), { timeout: 30_000 });
  await preloadTurns({ agents });
  expect(children).toHaveBeenCalledOnce();
  expect((await session.send('Hi')).text).toBe('Hello.');
  await session.dispose();
});
