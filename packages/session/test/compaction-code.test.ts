// The stages of compaction are a chunk of their own, which a session that compacts by itself fetches in the background.
import { afterEach, expect, it, vi } from 'vitest';
import { say, scriptedProvider } from '@banister/testing';
import type * as library from '@banister/session';

const stagesModule = '../src/compaction/compaction-stages.js';

afterEach(() => {
  vi.doUnmock(stagesModule);
  vi.resetModules();
});

it('V4: a session with automatic compaction fetches its code when it is created, so that a loaded page works offline', async () => {
  vi.resetModules();
  const stages = vi.fn((original: () => Promise<object>) => original());
  vi.doMock(stagesModule, (original) => stages(original as () => Promise<object>));
  const { compaction, createAgentSession, preloadTurns }: typeof library = await import('@banister/session');
  const provider = scriptedProvider([say('Hello.')]);
  await createAgentSession({ provider }).dispose();
  await preloadTurns();
  expect(stages).not.toHaveBeenCalled();
  const session = createAgentSession({ provider, compaction: compaction() });
  await vi.waitFor(() => expect(stages).toHaveBeenCalledOnce(), { timeout: 30_000 });
  expect((await session.send('Hi')).text).toBe('Hello.');
  await preloadTurns({ compaction: compaction() });
  expect(stages).toHaveBeenCalledOnce();
  await session.dispose();
});
