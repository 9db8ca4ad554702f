// A branch command that fails, or is cancelled, while it takes effects back.
import { describe, expect, it } from 'vitest';
import { callTools, gate, say, settle, type AnswerSource, type Gate } from '@banister/testing';
import type { Domain, Tool } from '@banister/session';
import { path, steps } from './branched.js';
import { atOperation, fixture, rejection, type FixtureOptions } from './fixture.js';

/** The behaviour of the effects of one card; without a function the effect is taken back, and made again. */
interface CardFaults {
  readonly revert?: () => void | Promise<void>;
  readonly reapply?: (() => void | Promise<void>) | null;
}

/** A board on which effects of some cards cannot be moved. */
function faultyBoard(faults: Readonly<Record<string, CardFaults>>) {
  const titles: string[] = [];
  const add: Tool = {
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    execute(args, context) {
      const { title } = args as { readonly title: string };
      const { revert, reapply } = faults[title] ?? {};
      titles.push(title);
      context.undo({
        description: `Added ${title}`,
        async revert() {
          await revert?.();
          titles.splice(titles.indexOf(title), 1);
        },
        ...(reapply === null
          ? {}
          : {
              async reapply() {
                await reapply?.();
                titles.push(title);
              },
            }),
      });
    },
  };
  const domain: Domain = { id: 'board', tools: [add] };
  return { titles, domain };
}

const add = (...titles: readonly string[]): readonly AnswerSource[] => [
  callTools(...titles.map((title) => ({ tool: 'board.add', args: { title } }))),
  say('Added.'),
];

/** A session whose first turns add these cards: all of one string in one turn. */
async function withTurns(
  turns: readonly string[],
  faults: Readonly<Record<string, CardFaults>>,
  more: readonly AnswerSource[] = [],
  options: FixtureOptions = {},
) {
  const board = faultyBoard(faults);
  const answers = [...turns.flatMap((cards) => add(...cards)), ...more];
  const f = fixture(answers, { domains: [board.domain], ...options });
  for (const cards of turns) await f.session.send(`Add ${cards}`);
  const from = f.observed.operations.length;
  return { f, board, news: () => steps(f.observed.operations.slice(from)) };
}

const broken = () => {
  throw new Error('The board is locked');
};

describe('a branch command whose revert fails', () => {
  it('is rolled back, and the head does not move', async () => {
    const { f, board, news } = await withTurns(['A', 'B', 'C'], { A: { revert: broken } });
    await using _ = f;
    const error = await rejection(f.session.edit('turn_1', 'Something else'));
    expect(error.code).toBe('undo-failed');
    expect(error.details).toMatchObject({
      failed: [
        { turnId: 'turn_1', toolName: 'board.add', description: 'Added A', reason: 'The board is locked' },
      ],
      notRestored: [],
    });
    expect([...board.titles].sort()).toEqual(['A', 'B', 'C']);
    expect(path(f)).toEqual(['turn_1', 'turn_2', 'turn_3']);
    expect(f.session.state).toMatchObject({ isRunning: false, phase: 'idle', canUndo: true });
    expect(news()).toEqual([
      'undoStarted turn_3',
      'undone turn_3 goes-on',
      'undoStarted turn_2',
      'undone turn_2 goes-on',
      'undoStarted turn_1',
      'undone turn_1 goes-on',
      'redoStarted turn_2',
      'redone turn_2 goes-on',
      'redoStarted turn_3',
      'redone turn_3 ends',
    ]);
  });

  it('redoes the part that the failed step had undone', async () => {
    const { f, board, news } = await withTurns(['AB'], { A: { revert: broken } });
    await using _ = f;
    const error = await rejection(f.session.regenerate());
    expect(error.details).toMatchObject({ failed: [{ description: 'Added A' }], notRestored: [] });
    expect([...board.titles].sort()).toEqual(['A', 'B']);
    expect(news().slice(1)).toEqual(['undone turn_1 goes-on', 'redoStarted turn_1', 'redone turn_1 ends']);
  });

  it('ends with the step if its first effect fails', async () => {
    const { f, news } = await withTurns(['A'], { A: { revert: broken } });
    await using _ = f;
    await rejection(f.session.regenerate());
    expect(news()).toEqual(['undoStarted turn_1', 'undone turn_1 ends']);
    expect(f.session.state).toMatchObject({ isRunning: false, phase: 'idle', canUndo: true });
  });

  it('names every effect that could not be redone, once', async () => {
    const { f, board } = await withTurns(['A', 'B', 'C', 'D'], {
      A: { revert: broken },
      B: { reapply: null },
      C: { reapply: broken },
    });
    await using _ = f;
    const { details } = await rejection(f.session.edit('turn_1', 'Something else'));
    expect(details.failed).toMatchObject([{ turnId: 'turn_1', description: 'Added A' }]);
    expect(details.notRestored).toEqual([
      expect.objectContaining({ turnId: 'turn_3', description: 'Added C', reason: 'The board is locked' }),
      expect.objectContaining({
        turnId: 'turn_2',
        description: 'Added B',
        reason: 'The effects of this turn can no longer be redone.',
        because: { code: 'not-redoable' },
      }),
    ]);
    expect([...board.titles].sort()).toEqual(['A', 'D']);
    expect(f.session.state).toMatchObject({ isRunning: false, phase: 'idle' });
  });

  it('does not report effects as failed that were never undone, if the turn cannot be redone', async () => {
    const { f, board } = await withTurns(['AB'], { A: { revert: broken }, B: { reapply: null } });
    await using _ = f;
    const error = await rejection(f.session.edit('turn_1', 'Something else'));
    expect(error.details).toMatchObject({
      failed: [{ description: 'Added A' }],
      notRestored: [{ description: 'Added B' }],
    });
    expect(board.titles).toEqual(['A']);
    const redone = f.observed.operations.findLast(({ type }) => type === 'redone');
    expect(redone).toMatchObject({ report: { done: [], failed: [{ description: 'Added B' }] } });
  });

  it('with `follow` undoes again what it redid', async () => {
    let isLocked = false;
    const reapply = () => (isLocked ? broken() : undefined);
    const { f, board, news } = await withTurns(['A', 'B', 'C'], { C: { reapply } }, add('D'));
    await using _ = f;
    await f.session.edit('turn_2', 'Add D');
    isLocked = true;
    const seen = news().length;
    const { details } = await rejection(f.session.switchTo('turn_3', { effects: 'follow' }));
    expect(details).toMatchObject({
      failed: [{ turnId: 'turn_3', description: 'Added C' }],
      notRestored: [],
    });
    expect(board.titles).toEqual(['A', 'D']);
    expect(path(f)).toEqual(['turn_1', 'turn_4']);
    expect(news().slice(seen)).toEqual([
      'undoStarted turn_4',
      'undone turn_4 goes-on',
      'redoStarted turn_2',
      'redone turn_2 goes-on',
      'redoStarted turn_3',
      'redone turn_3 goes-on',
      'undoStarted turn_2',
      'undone turn_2 goes-on',
      'redoStarted turn_4',
      'redone turn_4 ends',
    ]);
    isLocked = false;
    await f.session.switchTo('turn_3', { effects: 'follow' });
    expect(board.titles).toEqual(['A', 'B', 'C']);
  });

  it('keeps an edit that the user makes meanwhile, and does not move the head', async () => {
    let version = 0;
    const board = faultyBoard({ C: { revert: async () => void (await settle(3)) } });
    const revision = () => version;
    const f = fixture(
      ['A', 'B', 'C'].flatMap((card) => add(card)),
      {
        domains: [{ ...board.domain, revision }],
      },
    );
    await using _ = f;
    for (const card of ['A', 'B', 'C']) await f.session.send(card);
    atOperation(f.session, 'undone', () => void version++);
    const error = await rejection(f.session.edit('turn_1', 'Something else'));
    expect(error.code).toBe('undo-failed');
    expect(error.details).toMatchObject({
      failed: [{ turnId: 'turn_2', description: 'Added B', reason: 'board changed in the meantime.' }],
      notRestored: [],
    });
    expect([...board.titles].sort()).toEqual(['A', 'B', 'C']);
  });
});

describe('cancel of a branch command', () => {
  async function gated(): Promise<Awaited<ReturnType<typeof withTurns>> & { readonly reverting: Gate }> {
    const reverting = gate();
    const made = await withTurns(['A', 'B', 'C'], { B: { revert: () => reverting.pass() } });
    return { ...made, reverting };
  }

  it.each([false, true])(
    'ends the running revert, redoes the effects, and starts no turn (immediate: %s)',
    async (immediate) => {
      const { f, board, news, reverting } = await gated();
      await using _ = f;
      const regenerated = rejection(f.session.edit('turn_1', 'Something else'));
      await reverting.reached;
      const cancelled = f.session.cancel({ immediate });
      reverting.open();
      const error = await regenerated;
      expect(error.code).toBe('cancelled');
      expect(error.details).toEqual({});
      expect(await cancelled).toMatchObject({ landed: 'rolling-back', cancelled: true });
      expect([...board.titles].sort()).toEqual(['A', 'B', 'C']);
      expect(path(f)).toEqual(['turn_1', 'turn_2', 'turn_3']);
      expect(news().at(-1)).toBe('redone turn_3 ends');
      expect(f.session.state).toMatchObject({ isRunning: false, phase: 'idle', canUndo: true });
    },
  );

  it('in the same tick, nothing changes', async () => {
    const { f, board, news, reverting } = await gated();
    await using _ = f;
    const before = f.session.state;
    const regenerated = rejection(f.session.regenerate({ turnId: 'turn_1' }));
    expect(await f.session.cancel()).toMatchObject({ landed: 'preparing', cancelled: true });
    expect((await regenerated).code).toBe('cancelled');
    reverting.open();
    expect(news()).toEqual([]);
    expect(board.titles).toEqual(['A', 'B', 'C']);
    expect(f.session.state).toEqual(before);
  });

  it('after the last step takes effect as long as the head has not moved', async () => {
    const { f, board } = await withTurns(['A', 'B'], {});
    await using _ = f;
    atOperation(f.session, 'undone', () => void f.session.cancel(), 2);
    const { code } = await rejection(f.session.edit('turn_1', 'Something else'));
    expect(code).toBe('cancelled');
    expect([...board.titles].sort()).toEqual(['A', 'B']);
    expect(path(f)).toEqual(['turn_1', 'turn_2']);
  });

  it('in the last step of a `follow` on the current head, it rolls back', async () => {
    const undoing = gate();
    const { f, board, news } = await withTurns(['A'], { B: { revert: () => undoing.pass() } }, add('B'));
    await using _ = f;
    await f.session.edit('turn_1', 'Add B', { effects: 'keep' });
    await f.session.switchTo('turn_1');
    const seen = news().length;
    const followed = rejection(f.session.switchTo('turn_1', { effects: 'follow' }));
    await undoing.reached;
    const cancelled = f.session.cancel();
    undoing.open();
    expect((await followed).code).toBe('cancelled');
    await cancelled;
    expect(news().slice(seen)).toEqual([
      'undoStarted turn_2',
      'undone turn_2 goes-on',
      'redoStarted turn_2',
      'redone turn_2 ends',
    ]);
    expect(board.titles).toEqual(['A', 'B']);
    expect(f.session.state).toMatchObject({ isRunning: false, phase: 'idle' });
  });

  it.each(['undo', 'keep'] as const)(
    'takes effect in every microtask before the turn starts, with effects %s',
    async (effects) => {
      for (let wait = 0, hasStarted = false; !hasStarted; wait++) {
        const { f } = await withTurns(['A'], {}, [say('Hello.')], { looseScript: true });
        await using _ = f;
        const edited = rejection(f.session.edit('turn_1', 'Something else', { effects }));
        for (let waited = 0; waited < wait; waited++) await null;
        hasStarted = f.session.liveTurn.value !== null;
        await f.session.cancel();
        expect((await edited).code).toBe('cancelled');
        expect(f.session.turns.value[0]?.id).toBe(hasStarted ? 'turn_2' : 'turn_1');
      }
    },
  );

  it('ends a command that a subscriber called at the last operation of an earlier command', async () => {
    const { f, board } = await withTurns(['A'], {}, add('B'));
    await using _ = f;
    await f.session.regenerate();
    let edited: Promise<unknown> | undefined;
    atOperation(f.session, 'headMoved', () => {
      edited = rejection(f.session.edit('turn_1', 'Something else'));
    });
    await f.session.switchTo('turn_1', { effects: 'follow' });
    expect(await f.session.cancel()).toMatchObject({ cancelled: true });
    expect(await edited).toMatchObject({ code: 'cancelled' });
    expect(board.titles).toEqual(['A']);
  });

  it('by `dispose()` rolls back before the session ends', async () => {
    const { f, board, reverting } = await gated();
    const regenerated = rejection(f.session.edit('turn_1', 'Something else'));
    await reverting.reached;
    const disposed = f.session.dispose();
    reverting.open();
    expect((await regenerated).code).toBe('cancelled');
    await disposed;
    expect([...board.titles].sort()).toEqual(['A', 'B', 'C']);
    expect(f.observed.types.at(-1)).toBe('disposed');
    await f[Symbol.asyncDispose]();
  });
});
