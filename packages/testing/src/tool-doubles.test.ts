import type { GuardedCall, ToolContext } from '@banister/session';
import { describe, expect, test } from 'vitest';
import { forcedGuard } from './forced-guard.js';
import { gatedTool } from './gated-tool.js';
import { spyTool } from './spy-tool.js';

const context = (signal = new AbortController().signal): ToolContext => ({
  signal,
  cancelled: signal,
  callId: 'call_1',
  idempotencyKey: 'key',
  revision: undefined,
  progress: () => {},
  undo: (() => {}) as unknown as ToolContext['undo'],
  irreversible: () => {},
  change: (mutate) => mutate(),
  unattributed: () => {},
  run: () => Promise.reject(new Error('There are no agents.')),
});

describe('a spy tool', () => {
  test('AK-K4 records its calls, and does nothing else', async () => {
    const tool = spyTool('add');
    const given = context();
    expect(await tool.execute({ title: 'Milk' }, given)).toBeUndefined();
    expect(tool.runs).toEqual([{ args: { title: 'Milk' }, context: given }]);
  });

  test('runs the given executor', async () => {
    const tool = spyTool('add', { execute: ({ title }) => `Added ${String(title)}`, capabilities: ['paid'] });
    expect(await tool.execute({ title: 'Milk' }, context())).toBe('Added Milk');
    expect(tool).toMatchObject({ name: 'add', capabilities: ['paid'] });
  });

  test.each([
    ['a spy tool', spyTool],
    ['a gated tool', gatedTool],
  ])('T3: %s has its defaults if declarations are undefined', (_name, double) => {
    const tool = double('add', { description: undefined, parameters: undefined });
    expect(tool).toMatchObject({ description: 'Test double add.', parameters: { type: 'object' } });
  });
});

describe('a gated tool', () => {
  test('runs until the test ends it', async () => {
    const tool = gatedTool('publish');
    const answer = tool.execute({}, context());
    const run = await tool.next();
    expect(run.settled).toBe(false);
    run.settle('Done.');
    run.throw(new Error('Too late.'));
    expect(await answer).toBe('Done.');
    expect(run.settled).toBe(true);
  });

  test('throws when the test says so', async () => {
    const tool = gatedTool('publish');
    const answer = tool.execute({}, context());
    (await tool.next()).throw(new Error('No.'));
    await expect(answer).rejects.toThrow('No.');
  });

  test('`next()` returns its runs in order, even before they start', async () => {
    const tool = gatedTool('publish');
    const [first, second] = [tool.next(), tool.next()];
    void tool.execute({ n: 1 }, context());
    void tool.execute({ n: 2 }, context());
    expect([(await first).args, (await second).args]).toEqual([{ n: 1 }, { n: 2 }]);
    expect(tool.runs).toHaveLength(2);
  });

  test('ignores its signal, unless `heedsSignal` is set', async () => {
    const controller = new AbortController();
    const [hearing, deaf] = [gatedTool('a', { heedsSignal: true }), gatedTool('b')];
    const [heard, unheard] = [
      hearing.execute({}, context(controller.signal)),
      deaf.execute({}, context(controller.signal)),
    ];
    controller.abort(new Error('Stop.'));
    await expect(heard).rejects.toThrow('Stop.');
    deaf.runs[0]?.settle(1);
    expect(await unheard).toBe(1);
  });
});

describe('a forced guard', () => {
  const call: GuardedCall = { id: 'c', tool: 'a.b', arguments: {}, capabilities: [], irreversible: false };
  const signal = { signal: new AbortController().signal, ranBefore: [] };

  test('returns its verdict, and records its calls', () => {
    const guard = forcedGuard('never', { deny: 'No.' });
    expect(guard(call, signal)).toEqual({ deny: 'No.' });
    expect(guard.name).toBe('never');
    expect(guard.calls).toEqual([call]);
  });

  test('decides call by call, throws or hangs', () => {
    expect(
      forcedGuard('by-tool', ({ tool }) => (tool === 'a.b' ? 'allow' : { deny: '' }))(call, signal),
    ).toBe('allow');
    expect(() => forcedGuard('broken', 'throw')(call, signal)).toThrow('Scripted failure');
    expect(forcedGuard('slow', 'hang')(call, signal)).toBeInstanceOf(Promise);
  });
});
