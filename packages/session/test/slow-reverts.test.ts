// Reverts that are slow or hang: each note of a call is bounded by itself.
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, fail, gatedTool, say, settle, spyTool } from '@banister/testing';
import { defineTool, type Tool, type ToolUndo } from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { add, agent, delegate, team } from './agents-board.js';
import { agentsLoaded } from './agents-loaded.js';
import { fixture, names, rejection } from './fixture.js';

beforeAll(agentsLoaded);

const notes = (undos: readonly ToolUndo[]): readonly Tool[] => [
  spyTool('work', { execute: (_args, context) => undos.forEach((undo) => context.undo(undo)) }),
];
const domain = (undos: readonly ToolUndo[]) => [{ id: 'board', tools: notes(undos) }];
const work = [callTools({ tool: 'board.work' }), say('Done.')];
const hang = () => new Promise<never>(() => {});

/** A revert that waits; `end` ends all of its runs. */
function slowRevert() {
  const ends: (() => void)[] = [];
  let runs = 0;
  return {
    get runs() {
      return runs;
    },
    revert: () => {
      runs++;
      return new Promise<void>((resolve) => ends.push(resolve));
    },
    end: () => ends.forEach((resolve) => resolve()),
  };
}

describe('a revert that hangs', () => {
  it('C8: does not prevent older reverts of its call', async () => {
    const order: string[] = [];
    await using f = fixture(work, {
      domains: domain([
        { description: 'one', revert: () => void order.push('one') },
        { description: 'two', revert: hang },
        { description: 'three', revert: () => void order.push('three') },
      ]),
    });
    await f.session.send('Go');
    const undo = f.session.undo();
    await f.clock.advance(5_000);
    const report = await undo;
    expect(order).toEqual(['three', 'one']);
    expect(report.failed).toMatchObject([{ reason: expect.stringContaining('5000 ms') }]);
  });

  it('C8: each revert of a call has its own timeout of 5 s', async () => {
    const order: string[] = [];
    await using f = fixture([callTools({ tool: 'board.work' }), fail('auth')], {
      domains: domain([
        { description: 'one', revert: () => void order.push('one') },
        { description: 'two', revert: hang },
        { description: 'three', revert: hang },
      ]),
    });
    const turn = f.session.send('Go');
    turn.catch(() => {});
    await f.clock.advance(9_999);
    expect(f.session.phase.value).toBe('rolling-back');
    await f.clock.advance(1);
    await rejection(turn);
    expect(order).toEqual(['one']);
  });

  it('C8: a revert that took too long is reported as done if it ended before the reverts of older effects', async () => {
    const [newer, older] = [slowRevert(), slowRevert()];
    const tools = [
      spyTool('old', { execute: (_args, context) => context.undo({ description: 'older', ...older }) }),
      spyTool('new', { execute: (_args, context) => context.undo({ description: 'newer', ...newer }) }),
    ];
    const calls = [{ tool: 'board.old' }, { tool: 'board.new' }];
    await using f = fixture([callTools(...calls), fail('auth')], { domains: [{ id: 'board', tools }] });
    const turn = f.session.send('Go');
    turn.catch(() => {});
    await f.clock.advance(5_000);
    newer.end();
    await settle();
    older.end();
    await rejection(turn);
    const { done = [], failed } = f.session.lastOutcome.value?.report ?? {};
    expect(names(done)).toEqual(['older', 'newer']);
    expect(failed).toEqual([]);
  });

  it('C8: nothing of its call runs after the report', async () => {
    const slow = slowRevert();
    const order: string[] = [];
    await using f = fixture(work, {
      domains: domain([
        { description: 'one', revert: () => void order.push('one') },
        { description: 'two', revert: slow.revert },
      ]),
    });
    await f.session.send('Go');
    const undo = f.session.undo();
    await f.clock.advance(5_000);
    await undo;
    const atReport = [...order];
    slow.end();
    await f.clock.advance(60_000);
    expect(order).toEqual(atReport);
  });

  it('C8: a late hanging revert of a cut call does not prevent older reverts either', async () => {
    const order: string[] = [];
    const slow = gatedTool('slow');
    await using f = fixture([callTools({ tool: 'board.slow' })], {
      domains: [{ id: 'board', tools: [slow] }],
    });
    void f.session.send('Go');
    const run = await slow.next();
    await f.session.cancel({ immediate: true });
    run.context.undo({ description: 'one', revert: () => void order.push('one') });
    run.context.undo({ description: 'two', revert: hang });
    run.settle();
    await f.clock.advance(5_000);
    expect(order).toEqual(['one']);
    expect(f.observed.types.at(-1)).toBe('lateToolSettled');
  });
});

describe('a second undo', () => {
  it('C8: another undo waits for a slow revert that still runs, and does not run it twice', async () => {
    const slow = slowRevert();
    await using f = fixture(work, { domains: domain([{ description: 'one', revert: slow.revert }]) });
    await f.session.send('Go');
    const first = f.session.undo();
    await f.clock.advance(5_000);
    expect(names((await first).failed)).toEqual(['one']);
    const second = f.session.undo();
    await settle();
    slow.end();
    expect(names((await second).done)).toEqual(['one']);
    expect(slow.runs).toBe(1);
  });

  it('C8: counts a slow revert that ended meanwhile as done', async () => {
    const slow = slowRevert();
    await using f = fixture(work, { domains: domain([{ description: 'one', revert: slow.revert }]) });
    await f.session.send('Go');
    const first = f.session.undo();
    await f.clock.advance(5_000);
    await first;
    slow.end();
    await settle();
    expect(names((await f.session.undo()).done)).toEqual(['one']);
    expect(slow.runs).toBe(1);
  });

  it('C8: repeats a slow revert that failed meanwhile', async () => {
    let runs = 0;
    let fault = () => {};
    const revert = () => {
      runs++;
      return runs > 1 ? undefined : new Promise<void>((_, reject) => (fault = () => reject(new Error('no'))));
    };
    await using f = fixture(work, { domains: domain([{ description: 'one', revert }]) });
    await f.session.send('Go');
    const first = f.session.undo();
    await f.clock.advance(5_000);
    await first;
    fault();
    await settle();
    expect(names((await f.session.undo()).done)).toEqual(['one']);
    expect(runs).toBe(2);
  });
});

it('agents C14: an effect whose revert exceeds its time and then succeeds counts as taken back', async () => {
  const cards: string[] = [];
  const reverts: (() => void)[] = [];
  const put = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    execute({ title }, { undo }) {
      cards.push(title);
      // The revert of the newer card ends when the revert of the older card begins.
      const revert = () =>
        new Promise<void>((resolve) => {
          reverts.push(() => {
            cards.splice(cards.indexOf(title), 1);
            resolve();
          });
          if (reverts.length === 2) for (const end of reverts) end();
        });
      undo({ description: `Added "${title}"`, revert });
    },
  });
  await using f = fixture([delegate('a'), say('Done.')], {
    domains: [{ id: 'board', tools: [put] }, team()],
    agents: [agent('a', [add('A'), add('B'), fail('auth')])],
  });
  const turn = f.session.send('Go');
  await settle();
  await f.clock.advance(5_000);
  await turn;
  expect(cards).toEqual([]);
  const { effects, rounds } = f.session.state.turns[0]!;
  expect(effects).toEqual([]);
  const [child] = childrenOf({ rounds });
  expect(child!.outcome!.report).toMatchObject({
    done: [{ description: 'Added "A"' }, { description: 'Added "B"' }],
    failed: [],
  });
});
