// Steps that a tool records as data, and takes back by its own `undo`.
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { callTools, fail, gatedTool, recordingJournal, say, settle, spyTool } from '@banister/testing';
import {
  defineTool,
  failed,
  type Operation,
  type OperationOf,
  type OperationType,
  type SavedConversation,
  type Tool,
} from '@banister/session';
import { addCard } from './board.js';
import { dataBoard } from './data-board.js';
import { fixture, names, rejection, resultTexts } from './fixture.js';

const anything = { type: 'object', properties: {} } as const;
const domain = (...tools: readonly Tool[]) => [{ id: 'board', tools }];
const ofType = <T extends OperationType>(operations: readonly Operation[], type: T) =>
  operations.filter((operation): operation is OperationOf<T> => operation.type === type);

describe('an effect that is recorded as data', () => {
  it('an effect that is recorded as data is taken back by the `undo` of its tool, in the live session too', async () => {
    const board = dataBoard(['Mine']);
    await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [board.domain()] });
    await f.session.send('Go');
    const after = board.domain().revision?.();
    expect(names((await f.session.undo()).done)).toEqual(['Added A']);
    expect(board.cards).toEqual(['Mine']);
    expect(names((await f.session.redo()).done)).toEqual(['Added A']);
    expect(board.cards).toEqual(['Mine', 'A']);
    expect(board.runs.map(({ direction }) => direction)).toEqual(['revert', 'reapply']);
    expect(board.runs[0]).toMatchObject({ title: 'A', callId: 'call_1', revision: after });
  });

  it('each effect is an operation when its tool records it', async () => {
    const board = dataBoard();
    await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [board.domain()] });
    await f.session.send('Go');
    expect(ofType(f.observed.operations, 'effectRecorded')).toMatchObject([
      { callId: 'call_1', step: 1, description: 'Added A', data: { title: 'A' }, irreversible: false },
    ]);
    await f.session.undo();
    expect(ofType(f.observed.operations, 'effectReverted')).toMatchObject([
      { callId: 'call_1', step: 1, outcome: 'success', target: 'turn_1' },
    ]);
  });

  it('each undo and redo of an effect has its own idempotency key, which a repeated attempt keeps', async () => {
    let attempts = 0;
    const keys: string[] = [];
    const work = defineTool({
      name: 'work',
      description: 'Works.',
      parameters: anything,
      undo: {
        revert(_data, { idempotencyKey }) {
          keys.push(idempotencyKey);
          return ++attempts === 1 ? failed('Not now.') : undefined;
        },
        reapply(_data, { idempotencyKey }) {
          keys.push(idempotencyKey);
        },
      },
      async execute(_args, context) {
        keys.push(context.idempotencyKey);
        await context.undo({ description: 'Worked', data: null });
      },
    });
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], { domains: domain(work) });
    await f.session.send('Go');
    expect((await f.session.undo()).failed).toMatchObject([{ reason: 'Not now.' }]);
    await f.session.undo();
    await f.session.redo();
    await f.session.undo();
    const [call, first, again, reapplied, second] = keys;
    expect(first).toBe(again);
    expect(new Set([call, first, reapplied, second]).size).toBe(4);
    expect(ofType(f.observed.operations, 'effectReverted').map(({ outcome }) => outcome)).toEqual([
      'failed',
      'success',
      'success',
    ]);
  });

  it('leaves no listener at the signal of its call when it is written', async () => {
    let listeners = 0;
    const tool = defineTool({
      name: 'paint',
      description: 'Paints the board.',
      parameters: anything,
      undo: { revert: () => {} },
      async execute(_arguments, context) {
        const before = getEventListeners(context.signal, 'abort').length;
        for (let step = 0; step < 12; step++) await context.undo({ description: 'Painted', data: step });
        listeners = getEventListeners(context.signal, 'abort').length - before;
      },
    });
    const ports = { journal: recordingJournal('resolve') };
    await using f = fixture([callTools({ tool: 'board.paint', args: {} }), say('Done.')], {
      domains: domain(tool),
      ports,
    });
    await f.session.send('Go');
    expect(listeners).toBe(0);
  });

  it('is reported as failed if its revert returns a conflict', async () => {
    const board = dataBoard();
    await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [board.domain()] });
    await f.session.send('Go');
    board.cards[0] = 'A, edited';
    const report = await f.session.undo({ force: true });
    expect(report.failed).toMatchObject([
      { description: 'Added A', reason: 'It was changed in the meantime.' },
    ]);
    expect(board.cards).toEqual(['A, edited']);
  });

  describe('whose revert replaces its data', () => {
    /** A counter, whose revert takes one away, and gives up the rest. */
    function counter(outcomes: readonly ('failed' | 'thrown')[] = []) {
      const got: unknown[] = [];
      const left = [...outcomes];
      const add = defineTool({
        name: 'add',
        description: 'Adds to the counter.',
        parameters: anything,
        undo: {
          revert(data: { left: number }, context) {
            got.push(data);
            const next = { left: data.left - 1 };
            context.replaceData(next);
            next.left = 99;
            const outcome = left.shift();
            if (outcome === 'thrown') throw new Error('Not yet.');
            return outcome && failed('Not yet.');
          },
          reapply: (data) => void got.push(data),
        },
        execute: (_args, { undo }) => void undo({ description: 'Added', data: { left: 3 } }),
      });
      return { got, domain: { id: 'board', tools: [add] } };
    }
    const added = [callTools({ tool: 'board.add' }), say('Done.')];

    it('a function of `undo` can replace the data of its effect, for later attempts and for a redo', async () => {
      const { got, domain } = counter(['failed', 'thrown']);
      await using f = fixture(added, { domains: [domain] });
      await f.session.send('Go');
      for (let attempt = 0; attempt < 3; attempt++) await f.session.undo();
      await f.session.redo();
      expect(got).toEqual([{ left: 3 }, { left: 2 }, { left: 1 }, { left: 0 }]);
      expect(got.slice(1).every((data) => Object.isFrozen(data))).toBe(true);
      expect(ofType(f.observed.operations, 'effectReverted')).toMatchObject([
        { outcome: 'failed', data: { left: 2 } },
        { outcome: 'thrown', data: { left: 1 } },
        { outcome: 'success', data: { left: 0 } },
      ]);
      expect(ofType(f.observed.operations, 'effectReapplied')[0]).not.toHaveProperty('data');
    });

    it.each([['failed'], []] as const)(
      'is undone and redone with the replaced data after a reload too',
      async (...outcomes) => {
        const { got, domain } = counter(outcomes);
        await using f = fixture(added, { domains: [domain] });
        await f.session.send('Go');
        await f.session.undo();
        const conversation = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
        await using g = fixture([], { domains: [domain], conversation });
        await (outcomes.length > 0 ? g.session.undo() : g.session.redo());
        expect(got).toEqual([{ left: 3 }, { left: 2 }]);
      },
    );

    it('a value that JSON cannot hold does not replace the data of an effect', async () => {
      const got: unknown[] = [];
      const add = defineTool({
        name: 'add',
        description: 'Adds.',
        parameters: anything,
        undo: {
          revert(data: { left: number }, context) {
            got.push(data);
            if (got.length === 1) context.replaceData(new Map());
          },
        },
        execute: (_args, { undo }) => void undo({ description: 'Added', data: { left: 3 } }),
      });
      await using f = fixture(added, { domains: domain(add) });
      await f.session.send('Go');
      expect((await f.session.undo()).failed).toHaveLength(1);
      await f.session.undo();
      expect(got).toEqual([{ left: 3 }, { left: 3 }]);
    });
  });

  it('fires the signal of a revert that takes too long', async () => {
    let fired = false;
    const work = defineTool({
      name: 'work',
      description: 'Works.',
      parameters: anything,
      undo: {
        revert: (_data, { signal }) =>
          new Promise<void>(() => signal.addEventListener('abort', () => (fired = true))),
      },
      execute: (_args, context) => context.undo({ description: 'Worked', data: 1 }),
    });
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], { domains: domain(work) });
    await f.session.send('Go');
    const undone = f.session.undo();
    await f.clock.advance(5_000);
    expect((await undone).failed).toMatchObject([{ description: 'Worked' }]);
    expect(fired).toBe(true);
    expect(ofType(f.observed.operations, 'effectReverted')).toMatchObject([{ outcome: 'timed-out' }]);
  });

  it('has one end operation if its timeout fires at the moment when its revert ends', async () => {
    const timers = new Set<() => void>();
    const revertTimeoutMs = 70;
    const clock = {
      now: () => 0,
      schedule(callback: () => void, ms: number) {
        if (ms === revertTimeoutMs) timers.add(callback);
        return () => void timers.delete(callback);
      },
    };
    const board = dataBoard();
    await using f = fixture([callTools(addCard('A')), say('Done.')], {
      domains: [board.domain()],
      limits: { revertTimeoutMs },
      ports: { clock },
    });
    await f.session.send('Go');
    f.session.operations$.subscribe(({ type }) => {
      if (type !== 'effectReverted') return;
      const due = [...timers];
      timers.clear();
      for (const fire of due) fire();
    });
    expect(names((await f.session.undo()).done)).toEqual(['Added A']);
    expect(ofType(f.observed.operations, 'effectReverted')).toMatchObject([{ outcome: 'success' }]);
    expect(board.cards).toEqual([]);
  });

  it('the steps of a call are reverted newest first, closures and data alike', async () => {
    const order: string[] = [];
    const work = defineTool({
      name: 'work',
      description: 'Works.',
      parameters: anything,
      undo: { revert: (data: string) => void order.push(data) },
      async execute(_args, context) {
        await context.undo({ description: 'first', data: 'first' });
        context.undo({ description: 'second', revert: () => void order.push('second') });
        await context.undo({ description: 'third', data: 'third' });
      },
    });
    await using f = fixture([callTools({ tool: 'board.work' }), fail('auth')], { domains: domain(work) });
    await rejection(f.session.send('Go'));
    expect(order).toEqual(['third', 'second', 'first']);
    expect(names(f.session.lastOutcome.value?.report?.done ?? [])).toEqual(['first; second; third']);
    const reverted = ofType(f.observed.operations, 'effectReverted');
    expect(reverted.map(({ step, turnId }) => [step, turnId])).toEqual([
      [3, 'turn_1'],
      [2, 'turn_1'],
      [1, 'turn_1'],
    ]);
  });

  it('an effect that was recorded in advance is reverted if the call then fails', async () => {
    const board = dataBoard();
    const broken = defineTool({
      ...board.add,
      name: 'broken',
      async execute({ title }, context) {
        await context.undo({ description: `Added ${title}`, data: { title } });
        throw new Error('The server is down.');
      },
    });
    await using f = fixture([callTools({ tool: 'board.broken', args: { title: 'A' } }), fail('auth')], {
      domains: domain(broken),
    });
    await rejection(f.session.send('Go'));
    expect(board.runs).toMatchObject([{ direction: 'revert', title: 'A' }]);
    expect(names(f.session.lastOutcome.value?.report?.done ?? [])).toEqual(['Added A']);
  });

  it('is a frozen copy: a tool that changes its object afterwards changes nothing', async () => {
    const seen: unknown[] = [];
    const work = defineTool({
      name: 'work',
      description: 'Works.',
      parameters: anything,
      undo: { revert: (data: { list: number[] }) => void seen.push(data, Object.isFrozen(data.list)) },
      async execute(_args, context) {
        const data = { list: [1] };
        await context.undo({ description: 'Worked', data });
        data.list.push(2);
      },
    });
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], { domains: domain(work) });
    await f.session.send('Go');
    await f.session.undo();
    expect(seen).toEqual([{ list: [1] }, true]);
  });

  it.each([
    ['the tool has no undo', { data: 1 }, /"board\.work" has no undo: \{ revert \}/],
    ['the data are no JSON', { data: new Map() }, /"board\.work" needs data that JSON can hold: it is a Map/],
    ['it has functions too', { data: 1, revert: () => {} }, /either data or functions/],
  ])('is refused in the executor if %s', async (title, entry, expected) => {
    const work = spyTool('work', {
      ...(title.includes('no undo') ? {} : { undo: { revert: () => {} } }),
      execute: (_args, context) => context.undo({ description: 'Worked', ...entry } as never),
    });
    await using f = fixture([callTools({ tool: 'board.work' }), say('I see.')], { domains: domain(work) });
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(expected);
    expect(ofType(f.observed.operations, 'effectRecorded')).toEqual([]);
  });

  it('a call that was cut cannot record data once its turn has ended', async () => {
    const slow = gatedTool('slow', { undo: { revert: () => {} } });
    await using f = fixture([callTools({ tool: 'board.slow' })], { domains: domain(slow) });
    void f.session.send('Go');
    const run = await slow.next();
    await f.session.cancel({ immediate: true });
    const recorded = run.context.undo({ description: 'Worked', data: 1 });
    expect((await rejection(recorded as unknown as Promise<void>)).code).toBe('cancelled');
    run.settle();
    await settle();
  });
});

describe('the operations about effects', () => {
  it('a mutating call that recorded nothing has one operation directly before its end', async () => {
    await using f = fixture([callTools({ tool: 'board.silent' }), say('Done.')], {
      domains: domain(spyTool('silent')),
    });
    await f.session.send('Go');
    const { types, operations } = f.observed;
    expect(types[types.indexOf('toolCompleted') - 1]).toBe('effectRecorded');
    expect(ofType(operations, 'effectRecorded')).toMatchObject([
      { step: 1, description: 'board.silent', irreversible: true },
    ]);
  });

  it('the log has the revisions before and after a commit and an undo', async () => {
    const board = dataBoard();
    const revision = board.domain().revision!;
    await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [board.domain()] });
    const before = revision();
    await f.session.send('Go');
    const after = revision();
    expect(ofType(f.observed.operations, 'committed')).toMatchObject([
      { domains: ['board'], before: { board: before }, after: { board: after } },
    ]);
    await f.session.undo();
    expect(ofType(f.observed.operations, 'undone')).toMatchObject([
      { moved: { board: { from: after, to: before } } },
    ]);
  });
});
