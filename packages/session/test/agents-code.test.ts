// When the code of child turns is fetched.
import { afterEach, expect, it, vi } from 'vitest';
import { callTools, say, scriptedProvider } from '@banister/testing';
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

it('agents C11: a session without agents loads no code for them, and its operations have no field of theirs', async () => {
  vi.resetModules();
  const children = vi.fn((original: () => Promise<object>) => original());
  vi.doMock(childrenModule, (original) => children(original as () => Promise<object>));
  const { createAgentSession, defineTool }: typeof library = await import('@banister/session');
  const add = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object' },
    execute: (_args, { undo }) => void undo({ description: 'Added', revert: () => {} }),
  });
  const provider = scriptedProvider([callTools({ tool: 'board.add', args: {} }), say('Done.')]);
  const session = createAgentSession({ provider, domains: [{ id: 'board', tools: [add] }] });
  const operations: unknown[] = [];
  session.operations$.subscribe((operation) => operations.push(operation));
  await session.send('Go');
  await session.undo();
  expect(children).not.toHaveBeenCalled();
  const text = JSON.stringify([operations, session.state]);
  for (const field of ['subagent', 'children', 'child', 'agent', 'groups', 'path'])
    expect([field, text.includes(`"${field}"`)]).toEqual([field, false]);
  await session.dispose();
});
