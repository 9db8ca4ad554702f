// Code that takes an effect back, or makes it again, and ends after its time.
import { describe, expect, it } from 'vitest';
import { callTools, fail, gate, say, settle, spyTool } from '@banister/testing';
import { contentRevision, createMirror, type Domain } from '@banister/session';
import { fixture, names, rejection, type Fixture } from './fixture.js';

/**
 * Cells that tools fill, each with a tool of its name. The code of the cells in `slow` waits for `open` of the cell.
 *
 * @param kind the revision of the domain
 */
function cells(
  kind: 'counter' | 'content' | 'none',
  slow: readonly string[],
  direction: 'revert' | 'reapply',
) {
  const there = new Set<string>();
  let version = 0;
  const late = { a: gate(), b: gate() };
  const put = (cell: string, isThere: boolean) => {
    version++;
    if (isThere) there.add(cell);
    else there.delete(cell);
  };
  const tools = (['a', 'b'] as const).map((cell) => {
    const code = (isReapply: boolean) => async () => {
      if (slow.includes(cell) && isReapply === (direction === 'reapply')) await late[cell].pass();
      put(cell, isReapply);
    };
    return spyTool(cell, {
      execute: (_args, context) => {
        put(cell, true);
        context.undo({ description: cell, paths: [cell], revert: code(false), reapply: code(true) });
      },
    });
  });
  const revision = kind === 'counter' ? () => version : contentRevision(() => [...there].sort());
  const domain: Domain = { id: 'board', tools, ...(kind === 'none' ? {} : { revision }) };
  return {
    domains: [domain],
    get list() {
      return [...there].sort().join();
    },
    open: (cell: 'a' | 'b') => late[cell].open(),
    user: () => void version++,
  };
}

const call = (cell: string) => callTools({ tool: `board.${cell}` });
const both = [callTools({ tool: 'board.a' }, { tool: 'board.b' }), say('Done.')];

describe('a revert that ends after its timeout', () => {
  it.each(['counter', 'content'] as const)(
    'does not count as an edit of the user: a second undo reverts the rest (revision: %s)',
    async (kind) => {
      const app = cells(kind, ['b'], 'revert');
      await using f = fixture([call('a'), say('One.'), call('b'), say('Two.')], { domains: app.domains });
      await f.session.send('One');
      await f.session.send('Two');
      const undo = f.session.undo();
      await f.clock.advance(5_000);
      expect(names((await undo).failed)).toEqual(['b']);
      app.open('b');
      await settle();
      expect(app.list).toBe('a');
      expect(names((await f.session.undo()).done)).toEqual(['b']);
      expect(names((await f.session.undo()).done)).toEqual(['a']);
      expect(app.list).toBe('');
    },
  );

  it.each(['counter', 'content'] as const)(
    'after a rollback does not count as an edit of the user: the previous turn can be undone (revision: %s)',
    async (kind) => {
      const app = cells(kind, ['b'], 'revert');
      await using f = fixture([call('a'), say('One.'), call('b'), fail('auth')], { domains: app.domains });
      await f.session.send('One');
      const failing = rejection(f.session.send('Two'));
      await f.clock.advance(5_000);
      await failing;
      app.open('b');
      await settle();
      expect(names((await f.session.undo()).done)).toEqual(['a']);
    },
  );

  it('beside an edit of the user is a conflict, because the two changes cannot be distinguished', async () => {
    const app = cells('counter', ['a'], 'revert');
    await using f = fixture([call('a'), say('One.')], { domains: app.domains });
    await f.session.send('One');
    const undo = f.session.undo();
    await f.clock.advance(5_000);
    await undo;
    app.user();
    app.open('a');
    await settle();
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });

  it('marks its call, and the next request tells the model that it was reverted', async () => {
    const app = cells('none', ['a'], 'revert');
    await using f = fixture([call('a'), fail('auth'), say('Fine.')], { domains: app.domains });
    const failing = rejection(f.session.send('One'));
    await f.clock.advance(5_000);
    await failing;
    app.open('a');
    await settle();
    const [part] = f.session.turns.value[0]!.rounds[0]!.parts;
    expect(part).toMatchObject({ type: 'tool-call', reverted: true });
    await f.session.send('Two');
    const told = JSON.stringify(f.provider.requests.at(-1)!.messages);
    expect(told).toContain('These effects were reverted: \\"a\\" (board.a).');
    expect(told).not.toContain('could not be reverted');
  });

  it('while the undo still runs counts as its own change', async () => {
    const app = cells('counter', ['a', 'b'], 'revert');
    await using f = fixture(both, { domains: app.domains });
    await f.session.send('Go');
    const undo = f.session.undo();
    // The time of b is up; a waits.
    await f.clock.advance(5_000);
    app.open('b');
    await settle();
    app.open('a');
    expect(names((await undo).done).toSorted()).toEqual(['a', 'b']);
    await f.session.redo();
    expect(app.list).toBe('a,b');
  });

  it('is the same for a mirror', async () => {
    const app = cells('counter', ['a'], 'revert');
    await using f = fixture([call('a'), say('One.')], { domains: app.domains });
    const mirror = createMirror(f.session.state);
    f.session.operations$.subscribe((operation) => mirror.fold([operation]));
    await f.session.send('One');
    const undo = f.session.undo();
    await f.clock.advance(5_000);
    await undo;
    app.open('a');
    await settle();
    expect(mirror.state).toEqual(f.session.state);
  });
});

describe('a redo that ends after its timeout', () => {
  /** Undoes a turn that filled both cells, and makes it again until the time of the first cell is up. */
  async function redoing(slow: readonly string[]) {
    const app = cells('none', slow, 'reapply');
    const f = fixture(both, { domains: app.domains });
    await f.session.send('Go');
    await f.session.undo();
    const redo = f.session.redo();
    await f.clock.advance(5_000);
    return { app, f, redo: () => redo };
  }

  it('is reported as done if it ends before the other redos', async () => {
    const { app, f, redo } = await redoing(['a', 'b']);
    await using _ = f;
    app.open('a');
    await settle();
    app.open('b');
    const { done, failed } = await redo();
    expect([names(done).toSorted(), failed]).toEqual([['a', 'b'], []]);
    expect(f.session.undoEntries.value.map(({ state }) => state)).toEqual(['done']);
  });

  it('is reverted by the next undo', async () => {
    const { app, f, redo } = await redoing(['a']);
    await using _ = f;
    expect(names((await redo()).failed)).toEqual(['a']);
    app.open('a');
    await settle();
    expect(app.list).toBe('a,b');
    expect(names((await f.session.undo()).done)).toEqual(['b', 'a']);
    expect(app.list).toBe('');
  });

  it('after the report, the next redo completes the turn', async () => {
    const { app, f, redo } = await redoing(['a']);
    await using _ = f;
    await redo();
    app.open('a');
    await settle();
    await f.session.redo();
    expect(app.list).toBe('a,b');
    expect(f.session.undoEntries.value.map(({ state }) => state)).toEqual(['done']);
  });
});

describe('a call that acts after it was cut, and is then reverted', () => {
  /** A tool whose call for the cell b waits; the revision counts changes. */
  function counted() {
    const there = new Set<string>();
    let version = 0;
    const late = gate();
    const put = (cell: string, isThere: boolean) => {
      version++;
      if (isThere) there.add(cell);
      else there.delete(cell);
    };
    const set = spyTool('set', {
      timeoutMs: 1_000,
      execute: async ({ cell }, context) => {
        if (cell === 'b') await late.pass();
        put(String(cell), true);
        context.undo({ description: String(cell), revert: () => put(String(cell), false) });
      },
    });
    return {
      there,
      late,
      user: () => void version++,
      domains: [{ id: 'board', tools: [set], revision: () => version }],
    };
  }
  const setCell = (cell: string) => ({ tool: 'board.set', args: { cell } });

  it.each<[string, boolean, (f: Fixture) => Promise<unknown>]>([
    ['was aborted with its turn', false, (f) => f.session.cancel({ immediate: true })],
    [
      'was aborted, and its turn kept',
      true,
      (f) => f.session.cancel({ immediate: true, sideEffects: 'keep' }),
    ],
    ['timed out in a turn that went on', true, (f) => f.clock.advance(1_000)],
  ])(
    'does not count as an edit of the user if it %s: the earlier effect can be undone',
    async (_how, isSameTurn, cut) => {
      const app = counted();
      const calls = ['a', 'b'].map(setCell);
      const answers = isSameTurn
        ? [callTools(...calls), say('Two.')]
        : [callTools(calls[0]!), say('One.'), callTools(calls[1]!), say('Two.')];
      await using f = fixture(answers, { domains: app.domains, looseScript: true });
      if (!isSameTurn) await f.session.send('One');
      const turn = f.session.send('Two').catch(() => {});
      await app.late.reached;
      await cut(f);
      await turn;
      app.late.open();
      await settle();
      expect([...app.there]).toEqual(['a']);
      expect(names((await f.session.undo()).done)).toEqual(['a']);
      expect([...app.there]).toEqual([]);
    },
  );

  it('beside an edit of the user is a conflict too', async () => {
    const app = counted();
    const answers = [callTools(setCell('a')), say('One.'), callTools(setCell('b'))];
    await using f = fixture(answers, { domains: app.domains });
    await f.session.send('One');
    const turn = f.session.send('Two').catch(() => {});
    await app.late.reached;
    await f.session.cancel({ immediate: true });
    await turn;
    app.user();
    app.late.open();
    await settle();
    expect((await rejection(f.session.undo())).code).toBe('conflict');
  });
});
