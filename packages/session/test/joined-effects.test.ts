// A call that was cut, and whose effect cannot be taken back when its tool returns, because a later call has built on it.
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, checkOrder, fail, gatedTool, say, settle } from '@banister/testing';
import { conflict, defineTool, UndoHistory, type UndoEntry } from '@banister/session';
import { fixture, names, rejection, type FixtureOptions } from './fixture.js';
import { logWorld } from './log-world.js';

beforeAll(() => import('../src/session/log-chunk.js'));

/** A value whose tool compares it before it takes a change back. The tool `wait` keeps a turn open. */
function createValue() {
  const ends: (() => void)[] = [];
  const value = { now: 0, ends, wait: gatedTool('wait', { capabilities: ['readOnly'] }) };
  const move = (from: number, to: number) => {
    if (value.now !== from && value.now !== to) return conflict(String(from), String(value.now));
    value.now = to;
    return undefined;
  };
  const set = defineTool({
    name: 'set',
    description: 'Sets the value.',
    timeoutMs: 1_000,
    parameters: { type: 'object', properties: { to: { type: 'number' }, held: { type: 'boolean' } } },
    undo: {
      revert: ({ before, to }: { before: number; to: number }) => move(to, before),
      reapply: ({ before, to }) => move(before, to),
    },
    async execute({ to = 0, held }, context) {
      await context.undo({ description: `set ${to}`, data: { before: value.now, to } });
      value.now = to;
      if (held) await new Promise<void>((resolve) => ends.push(resolve));
      return 'set';
    },
  });
  return { value, domains: [{ id: 'value', tools: [set, value.wait] }] };
}

const setTo = (to: number, held = false) => callTools({ tool: 'value.set', args: { to, held } });
const waiting = callTools({ tool: 'value.wait' });
/** The value is set to 1, to 2 by a call that is cut, and to 3. */
const answers = [setTo(1), setTo(2, true), setTo(3), waiting, say('Done.')];

/** Runs a turn until the cut call has returned, and its revert has answered `conflict`. */
async function joined(options: FixtureOptions = {}, given = answers) {
  const { value, domains } = createValue();
  const f = fixture(given, { domains, ...options });
  const turn = f.session.send('Go');
  await settle();
  await f.clock.advance(1_000);
  const open = await value.wait.next();
  value.ends[0]!();
  await settle();
  return { f, value, turn, open };
}

const settled = { type: 'lateToolSettled', settlement: { outcome: 'succeeded', effect: 'revert-failed' } };

describe('a call that was cut, and whose revert fails when its tool returns while the turn is open', () => {
  it('leaves an effect of the turn, which can be taken back', async () => {
    const { f, value, turn, open } = await joined();
    await using _ = f;
    expect(f.observed.operations.at(-1)).toMatchObject(settled);
    open.settle();
    await turn;
    expect(value.now).toBe(3);
    const [record] = f.session.turns.value;
    expect(record?.effects.map(({ description, irreversible }) => [description, irreversible])).toEqual([
      ['set 1', false],
      ['set 2', false],
      ['set 3', false],
    ]);
    expect(f.session.undoEntries.value[0]).toMatchObject({ undoable: true, irreversible: false });
  });

  it('is taken back and made again in its place by undo and redo', async () => {
    const { f, value, turn, open } = await joined();
    await using _ = f;
    open.settle();
    await turn;
    const undone = await f.session.undo();
    expect(names(undone.done)).toEqual(['set 3', 'set 2', 'set 1']);
    expect([undone.failed, undone.irreversible]).toEqual([[], []]);
    expect(value.now).toBe(0);
    expect(f.session.undoEntries.value[0]?.state).toBe('undone');
    expect(names((await f.session.redo()).done)).toEqual(['set 1', 'set 2', 'set 3']);
    expect(value.now).toBe(3);
  });

  it('is taken back in its place by a cancel', async () => {
    const { f, value, turn, open } = await joined({ looseScript: true });
    await using _ = f;
    const cancelled = f.session.cancel();
    open.settle();
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(names((await cancelled).undo.done)).toEqual(['set 3', 'set 2', 'set 1']);
    expect(value.now).toBe(0);
  });

  it('is taken back in its place by the rollback of a turn that fails', async () => {
    const { f, value, turn, open } = await joined({}, [...answers.slice(0, -1), fail('auth')]);
    await using _ = f;
    open.settle();
    await rejection(turn);
    expect(names(f.session.turns.value[0]!.outcome!.report!.done)).toEqual(['set 3', 'set 2', 'set 1']);
    expect(value.now).toBe(0);
  });

  it('is given to a history of the app with the place of its call', async () => {
    const given: UndoEntry[] = [];
    const inner = new UndoHistory();
    const history = {
      begin: (label: string) => {
        const transaction = inner.begin(label);
        return {
          ...transaction,
          record: (entry: UndoEntry) => {
            given.push(entry);
            return transaction.record(entry);
          },
        };
      },
    };
    const { f, turn, open } = await joined({ history });
    await using _ = f;
    open.settle();
    await turn;
    expect(given.map(({ description, position }) => [description, position])).toEqual([
      ['set 1', 0],
      ['set 3', 2],
      ['set 2', 1],
    ]);
    expect(names((await f.session.undo()).done)).toEqual(['set 3', 'set 2', 'set 1']);
  });

  it('fails the turn if the history refuses it, as the effect of any other call does', async () => {
    const inner = new UndoHistory();
    const history = {
      begin: (label: string) => {
        const transaction = inner.begin(label);
        return {
          ...transaction,
          record: (entry: UndoEntry) => {
            if (entry.description === 'set 2') throw new Error('It is full.');
            return transaction.record(entry);
          },
        };
      },
    };
    const { f, turn, open } = await joined({ history });
    await using _ = f;
    expect(f.observed.operations.at(-1)).toMatchObject(settled);
    open.settle();
    expect((await rejection(turn)).code).toBe('undo-failed');
  });

  it('is tried once more by a cancel where the session has no history', async () => {
    const { f, turn, open } = await joined({ history: null, looseScript: true });
    await using _ = f;
    const cancelled = f.session.cancel();
    open.settle();
    await rejection(turn);
    const { failed, irreversible } = (await cancelled).undo;
    expect([names(failed), names(irreversible)]).toEqual([['set 2'], ['set 1', 'set 3']]);
  });

  it('is taken back before the end of its turn if its revert ends late, and a redo does not make it again', async () => {
    let now = '';
    let end = () => {};
    const act = gatedTool('act', {
      timeoutMs: 1_000,
      undo: {
        revert: () =>
          new Promise<void>((resolve) => {
            end = () => {
              now = now.replace('a', '');
              resolve();
            };
          }),
        reapply: () => void (now += 'a'),
      },
    });
    const add = gatedTool('add', {
      undo: { revert: () => void (now = now.replace('b', '')), reapply: () => void (now += 'b') },
    });
    await using f = fixture([callTools({ tool: 'd.act' }), callTools({ tool: 'd.add' }), say('Done.')], {
      domains: [{ id: 'd', tools: [act, add] }],
      limits: { revertTimeoutMs: 30 },
    });
    const turn = f.session.send('Go');
    const cut = await act.next();
    void cut.context.undo({ description: 'a', data: 1 });
    now += 'a';
    await f.clock.advance(1_000);
    const open = await add.next();
    cut.settle();
    await settle();
    await f.clock.advance(30);
    await settle();
    expect(f.observed.operations.at(-1)).toMatchObject(settled);
    end();
    await settle();
    void open.context.undo({ description: 'b', data: 1 });
    now += 'b';
    open.settle();
    await turn;
    expect(names(f.session.turns.value[0]!.effects)).toEqual(['b']);
    await f.session.undo();
    await f.session.redo();
    expect(now).toBe('b');
  });

  it('is an effect of the review of its turn, and can be undone when the user has accepted it', async () => {
    const { value, domains } = createValue();
    await using f = fixture(answers, { domains });
    const turn = f.session.send('Go', { commit: 'review' });
    await settle();
    await f.clock.advance(1_000);
    const open = await value.wait.next();
    value.ends[0]!();
    await settle();
    open.settle();
    await settle();
    expect(names(f.session.pendingReview.value!.effects)).toEqual(['set 1', 'set 2', 'set 3']);
    await f.session.accept();
    await turn;
    expect(names((await f.session.undo()).done)).toEqual(['set 3', 'set 2', 'set 1']);
    expect(value.now).toBe(0);
  });

  it.each(['resume', 'abandon'] as const)('is taken back in its place after a reload and %s', async (way) => {
    const { value, domains } = createValue();
    const log = logWorld();
    const { session } = await log.open(answers, { domains });
    session.send('Go').catch(() => {});
    await settle(20);
    await log.clock.advance(1_000);
    await settle(20);
    value.ends[0]!();
    await settle(20);
    await session.dispose({ turn: 'leave' });
    const { session: next } = await log.open([say('Done.')], { domains });
    expect(next.interrupted.value?.unknown).toEqual([]);
    const going = next[way]();
    await settle(20);
    if (way === 'resume') value.wait.runs.at(-1)!.settle();
    await going;
    const report = way === 'resume' ? await next.undo() : next.turns.value[0]!.outcome!.report!;
    expect(names(report.done)).toEqual(['set 3', 'set 2', 'set 1']);
    expect(value.now).toBe(0);
    expect(checkOrder([...(await log.stored())])).toEqual([]);
    await next.dispose();
  });
});

describe('a call that was cut, and whose revert fails when its tool returns after the end of its turn', () => {
  it('is reported, and stays when the turn is undone', async () => {
    const { value, domains } = createValue();
    await using f = fixture([setTo(1), setTo(2, true), setTo(3), say('Done.')], { domains });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(1_000);
    await turn;
    expect(names(f.session.turns.value[0]!.unknown!)).toEqual(['set 2']);
    value.ends[0]!();
    await settle();
    expect(f.observed.operations.at(-1)).toMatchObject(settled);
    expect(names(f.session.turns.value[0]!.effects)).toEqual(['set 1', 'set 3']);
    const { done, failed, irreversible } = await f.session.undo();
    expect(names(done)).toEqual(['set 3']);
    expect(names(failed)).toEqual(['set 1']);
    expect(names(irreversible)).toEqual(['set 2']);
    expect(value.now).toBe(2);
  });
});
