// Faults T14 to T19: each call has exactly one result, whatever its executor does.
import { describe, expect, it, vi } from 'vitest';
import { callTools, fail, gate, gatedTool, say, settle, spyTool } from '@banister/testing';
import {
  failed,
  stop,
  success,
  UndoHistory,
  type Tool,
  type ToolContext,
  type UndoProvider,
} from '@banister/session';
import { fixture, names, rejection, resultTexts, type FixtureOptions } from './fixture.js';

async function resultFor(
  execute: (context: ToolContext) => unknown,
  declaration: Partial<Tool> = {},
  options: FixtureOptions = {},
) {
  const tool = spyTool('work', {
    execute: (_args, context) => execute(context),
    ...declaration,
  });
  await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], {
    domains: [{ id: 'board', tools: [tool] }],
    ...options,
  });
  const turn = f.session.send('Go');
  await f.clock.advance(31_000);
  expect((await turn).status).toBe('completed');
  const parts = f.session.conversation.value.messages[2]?.parts ?? [];
  expect(parts).toHaveLength(1);
  const [part] = parts;
  if (part?.type !== 'tool-result') throw new Error('No result.');
  expect(JSON.parse(JSON.stringify(part))).toEqual(part);
  const ended = f.observed.types.filter((type) => type === 'toolCompleted' || type === 'toolFailed');
  expect(ended).toHaveLength(1);
  return { part, text: resultTexts(f.provider.requests[1]!)[0] ?? '', f };
}

describe('a plain return value is a success', () => {
  it.each<[string, unknown, readonly object[]]>([
    ['T14 undefined', undefined, []],
    ['null', null, [{ type: 'json', value: null }]],
    ['a text', 'done', [{ type: 'text', text: 'done' }]],
    ['an empty text', '', [{ type: 'text', text: '' }]],
    ['a number', 3, [{ type: 'json', value: 3 }]],
    ['false', false, [{ type: 'json', value: false }]],
    ['an object', { a: [1] }, [{ type: 'json', value: { a: [1] } }]],
    [
      'an object that looks like an outcome',
      { outcome: 'failed', message: 'x' },
      [{ type: 'json', value: { outcome: 'failed', message: 'x' } }],
    ],
    [
      'an object with a field type',
      { type: 'text', id: 3 },
      [{ type: 'json', value: { type: 'text', id: 3 } }],
    ],
  ])('%s', async (_name, value, content) => {
    const { part } = await resultFor(() => value);
    expect(part).toMatchObject({ outcome: 'success', content });
  });

  it('success() takes text, JSON and images', async () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
    const { part } = await resultFor(() => success('Here.', { n: 1 }, image));
    expect(part.content).toEqual([{ type: 'text', text: 'Here.' }, { type: 'json', value: { n: 1 } }, image]);
  });

  it('values with `toJSON` are stored as `toJSON` returns them', async () => {
    const { part } = await resultFor(() => ({ at: new Date(0) }));
    expect(part).toMatchObject({
      outcome: 'success',
      content: [{ value: { at: '1970-01-01T00:00:00.000Z' } }],
    });
  });

  it('undefined fields are left out', async () => {
    const { part } = await resultFor(() => ({ a: undefined, b: 1 }));
    expect(part.content).toEqual([{ type: 'json', value: { b: 1 } }]);
  });
});

class FakeElement {
  readonly tagName = 'DIV';
  readonly parentNode = null;
}

function cyclic() {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  return cycle;
}

describe('T14 a value that JSON cannot hold becomes a clear error result', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['a BigInt', () => ({ total: 10n }), /total.*bigint/],
    ['a cycle', cyclic, /self.*contains it/],
    ['a class instance, like a DOM node', () => new FakeElement(), /FakeElement/],
    ['a DOM node inside', () => ({ node: new FakeElement() }), /node.*FakeElement/],
    ['a function', () => ({ f: () => {} }), /f.*function/],
    ['a symbol', () => Symbol('x'), /symbol/],
    ['NaN', () => ({ n: NaN }), /NaN/],
    ['a Map', () => new Map(), /Map/],
    ['__proto__', () => JSON.parse('{"__proto__":{"x":1}}'), /__proto__/],
    ['something very deep', () => deep(5_000), /deep/],
    [
      'a throwing getter',
      () =>
        Object.defineProperty({}, 'x', {
          enumerable: true,
          get: () => {
            throw new Error('getter');
          },
        }),
      /getter/,
    ],
    [
      'an image without data',
      () => success({ type: 'image', mediaType: 'image/png', data: 3 } as never),
      /./,
    ],
  ])('%s', async (name, value, message) => {
    const { part, text } = await resultFor(value);
    if (name !== 'an image without data') {
      expect(part.outcome).toBe('unusable');
      expect(text).toMatch(/The tool ran/);
    }
    expect(text).toMatch(message);
  });

  it('a huge result is replaced by a message that says what to do', async () => {
    const { part, text } = await resultFor(() => 'x'.repeat(50_000_000));
    expect(part.outcome).toBe('unusable');
    expect(text.length).toBeLessThan(400);
    expect(text).toMatch(/50000000.*filter|range|page/);
  });

  it('a result just below the size limit passes; a result just above it does not', async () => {
    expect((await resultFor(() => 'x'.repeat(100_000))).part.outcome).toBe('success');
    expect((await resultFor(() => 'x'.repeat(100_001))).part.outcome).toBe('unusable');
    expect(
      (await resultFor(() => success(...Array.from({ length: 11 }, () => 'x'.repeat(10_000))))).part.outcome,
    ).toBe('unusable');
  });

  it('a huge failure is replaced too', async () => {
    const { part, text } = await resultFor(() => failed('x'.repeat(1_000_000)));
    expect(part.outcome).toBe('failed');
    expect(text.length).toBeLessThan(1_000);
  });

  it('the effect of a call with an unusable result is recorded', async () => {
    const revert = vi.fn();
    const tool = spyTool('work', {
      execute(_args, context) {
        context.undo({ description: 'Did it', revert });
        return { total: 10n } as never;
      },
    });
    await using f = fixture([callTools({ tool: 'board.work' }), fail('auth')], {
      domains: [{ id: 'board', tools: [tool] }],
      history: new UndoHistory(),
    });
    await rejection(f.session.send('Go'));
    expect(revert).toHaveBeenCalledTimes(1);
    expect(names(f.session.lastOutcome.value?.report?.done ?? [])).toEqual(['Did it']);
  });
});

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}

describe('T14 an executor that', () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      'throws at once',
      () => {
        throw new Error('boom');
      },
      /boom/,
    ],
    ['rejects', () => Promise.reject(new Error('boom')), /boom/],
    [
      'throws a text',
      () => {
        throw 'boom';
      },
      /boom/,
    ],
    [
      'throws nothing',
      () => {
        throw undefined;
      },
      /unknown error/,
    ],
    ['throws null', () => Promise.reject(null), /unknown error/],
    [
      'throws an object',
      () => {
        throw { secret: 'x' };
      },
      /unknown error/,
    ],
    [
      'throws an Error whose message throws',
      () => {
        throw Object.defineProperty(new Error(), 'message', {
          get: () => {
            throw new Error('x');
          },
        });
      },
      /unknown error/,
    ],
  ])('%s gives a thrown result', async (_name, execute, message) => {
    const { part, text } = await resultFor(execute);
    expect(part.outcome).toBe('thrown');
    expect(text).toMatch(message);
    expect(text).not.toContain('secret');
  });

  it('runs for 30 s is cut, and the model reads an error', async () => {
    const aborted = vi.fn();
    const { part, text } = await resultFor((context) => {
      context.signal.addEventListener('abort', aborted);
      return new Promise(() => {});
    });
    expect(part.outcome).toBe('timed-out');
    expect(text).toMatch(/30 seconds/);
    expect(aborted).toHaveBeenCalledTimes(1);
  });

  it('has its own timeout is cut by it; any other tool by `limits.toolTimeoutMs`', async () => {
    const hang = () => new Promise(() => {});
    expect((await resultFor(hang, { timeoutMs: 500 })).text).toMatch(/0\.5 seconds/);
    expect((await resultFor(hang, {}, { limits: { toolTimeoutMs: 2_000 } })).text).toMatch(/2 seconds/);
  });

  it('returns a thenable is awaited', async () => {
    const { part } = await resultFor(() => ({ then: (done: (value: string) => void) => done('later') }));
    expect(part.content).toEqual([{ type: 'text', text: 'later' }]);
  });

  it('returns a thenable that resolves twice gives one result', async () => {
    const { part } = await resultFor(() => ({
      then(done: (value: string) => void, broken: (error: unknown) => void) {
        done('one');
        done('two');
        broken(new Error('three'));
      },
    }));
    expect(part.content).toEqual([{ type: 'text', text: 'one' }]);
  });
});

describe('T16 the history has its own copies', () => {
  it('a returned object that changes afterwards changes nothing', async () => {
    const mine = { list: [1] };
    const { part, f } = await resultFor(() => mine);
    mine.list.push(2);
    expect(part.content).toEqual([{ type: 'json', value: { list: [1] } }]);
    expect(JSON.stringify(f.session.state)).not.toContain('[1,2]');
  });

  it('progress after the end of the executor changes nothing, even while the history records the effect', async () => {
    const record = gate();
    const history: UndoProvider = {
      begin: () => ({ ...new UndoHistory().begin(''), droppable: false, record: () => record.pass() }),
    };
    let late!: ToolContext;
    const tool = spyTool('work', {
      execute: (_args, context) => {
        late = context;
        context.undo({ description: 'Worked', revert: () => {} });
      },
    });
    await using f = fixture([callTools({ tool: 'a.work', args: {} }), say('Done.')], {
      domains: [{ id: 'a', tools: [tool] }],
      history,
    });
    const turn = f.session.send('Go');
    await settle();
    late.progress({ percent: 99 });
    record.open();
    await turn;
    late.progress({ percent: 100n } as never);
    expect(f.observed.types).not.toContain('toolProgress');
    expect(f.reported).toEqual([]);
  });

  it('progress is a copy too', async () => {
    const slow = gatedTool('slow');
    await using f = fixture([callTools({ tool: 'board.slow' }), say('x')], {
      domains: [{ id: 'board', tools: [slow] }],
    });
    const turn = f.session.send('Go');
    const run = await slow.next();
    const mine = { n: 1 };
    run.context.progress(mine);
    mine.n = 2;
    expect(f.session.activeToolCalls.value[0]?.progress).toEqual({ n: 1 });
    run.settle();
    await turn;
  });
});

describe('after a call has ended', () => {
  it('T15 progress is ignored, a recorded undo is reported, and nothing else happens', async () => {
    let late!: ToolContext;
    await using f = fixture([callTools({ tool: 'board.work' }), say('x')], {
      domains: [
        { id: 'board', tools: [spyTool('work', { execute: (_args, context) => void (late = context) })] },
      ],
      history: new UndoHistory(),
      reportsErrors: true,
    });
    await f.session.send('Go');
    const { length } = f.observed.operations;
    const { state } = f.session;
    late.progress({ n: 1 });
    late.undo({ description: 'late', revert: () => {} });
    late.irreversible('late');
    await settle();
    expect(f.observed.operations).toHaveLength(length);
    expect(f.session.state).toBe(state);
    expect(f.reported).toHaveLength(2);
  });

  it('T15 a success after the timeout is reverted at once and reported, and is not a result', async () => {
    const slow = gatedTool('slow', { timeoutMs: 100 });
    const revert = vi.fn();
    await using f = fixture([callTools({ tool: 'board.slow' }), say('x')], {
      domains: [{ id: 'board', tools: [slow] }],
      history: new UndoHistory(),
    });
    const turn = f.session.send('Go');
    const run = await slow.next();
    await f.clock.advance(100);
    await turn;
    const { conversation } = f.session.state;
    run.context.undo({ description: 'late', revert });
    run.settle('late');
    await settle();
    expect(revert).toHaveBeenCalledTimes(1);
    expect(f.observed.operations.at(-1)).toMatchObject({
      type: 'lateToolSettled',
      settlement: { outcome: 'succeeded', effect: 'reverted' },
    });
    expect(f.session.state.conversation).toBe(conversation);
  });

  it('progress that is not JSON is reported and changes nothing', async () => {
    const { part, f } = await resultFor(
      (context) => context.progress(10n as never),
      {},
      { reportsErrors: true },
    );
    expect(part.outcome).toBe('success');
    expect(f.reported).toHaveLength(1);
    expect(f.observed.types).not.toContain('toolProgress');
  });
});

it('T19 stop() gives its reason to the model and to the user', async () => {
  await using f = fixture([callTools({ tool: 'board.work' })], {
    domains: [{ id: 'board', tools: [spyTool('work', { execute: () => stop('Enough.') })] }],
  });
  const result = await f.session.send('Go');
  expect(result.stop).toEqual({ kind: 'tool', message: 'Enough.' });
  expect(f.session.conversation.value.messages[2]?.parts).toMatchObject([
    { outcome: 'stop', content: [{ text: 'Enough.' }] },
  ]);
});
