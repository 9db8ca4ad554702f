// Child turns in several tabs of one log: a tab that follows, and a tab that takes over with an open child turn.
import { beforeAll, describe, expect, it } from 'vitest';
import { confirmTools, type Agent, type ChildTurn, type SessionOptions } from '@banister/session';
import { childrenOf, fold, initialState } from '@banister/session/operations';
import { checkOrder, say, settle, stall, type AnswerSource } from '@banister/testing';
import { add, agent, delegate, team } from './agents-board.js';
import { agentsLoaded } from './agents-loaded.js';
import { dataBoard } from './data-board.js';
import { lossyWorld, type LossyNode } from './lossy-world.js';
import type { OpenedSession } from './opened.js';

beforeAll(() =>
  Promise.all([
    agentsLoaded(),
    import('../src/session/log-chunk.js'),
    import('../src/session/end-interruption.js'),
  ]),
);

/** The time after which a tab takes over the log of a tab that was killed, in milliseconds. */
const TAKEN_OVER = 8_000;

type Answers = Readonly<Record<string, readonly AnswerSource[]>>;

type Settings = Partial<Pick<SessionOptions, 'guards' | 'limits'>>;

/** What the tab that is killed does: the first answer of its model, and the answers of its agents. */
interface Killed extends Settings {
  readonly first?: AnswerSource;
  readonly working?: Answers;
}

/** Tabs of one log, over one board. */
function tabs({ guards = [], limits }: Settings = {}) {
  const board = dataBoard([], true);
  const world = lossyWorld();
  return {
    ...world,
    cards: board.cards,
    /** Opens a tab whose agents have these answers. */
    tab: (answers: readonly AnswerSource[], agents: Answers): Promise<LossyNode> =>
      world.open(answers, {
        domains: [board.domain(), team()],
        agents: Object.entries(agents).map(([id, given]): Agent => agent(id, given)),
        guards,
        limits: { maxToolCalls: 60, timeoutMs: 300_000, ...limits },
      }),
  };
}

const liveChildren = ({ session: { state } }: OpenedSession): readonly ChildTurn[] =>
  state.liveTurn === null ? [] : childrenOf(state.liveTurn);

const endsOf = ({ session: { state } }: OpenedSession) =>
  childrenOf(state.turns.at(-1)!).map(({ agent: id, status }) => `${id} ${status}`);

/** A tab that was killed while its agent `a` streamed after it had added a card, and the tab that took over. */
async function takenOver(
  answers: readonly AnswerSource[],
  agents: Answers,
  { first = delegate('a'), working = { a: [add('A'), stall('Look')] }, ...options }: Killed = {},
) {
  const world = tabs(options);
  const dead = await world.tab([first], working);
  const next = await world.tab(answers, agents);
  dead.session.send('Go').catch(() => {});
  await world.clock.advance(100);
  const before = liveChildren(dead);
  expect(liveChildren(next)).toEqual(before);
  dead.kill();
  await world.clock.advance(TAKEN_OVER);
  expect(next.session.link.value.role).toBe('writer');
  return { ...world, dead, next, before };
}

describe('a tab that follows a tab with child turns', () => {
  it('agents C34: cancels a child turn of the tab that writes', async () => {
    const { clock, cards, tab } = tabs();
    const writer = await tab([delegate('a', 'b'), say('Done.')], {
      a: [add('A'), stall('Look')],
      b: [add('B'), say('B.')],
    });
    const follower = await tab([], { a: [], b: [] });
    const sent = writer.session.send('Go');
    await clock.advance(100);
    const child = liveChildren(follower).find((one) => one.agent === 'a')!.id;
    const cancelled = follower.session.cancel({ child });
    await clock.advance(100);
    expect(await cancelled).toMatchObject({ cancelled: true, undo: { done: [{ description: 'Added A' }] } });
    expect((await sent).text).toBe('Done.');
    expect(endsOf(writer)).toEqual(['a cancelled', 'b completed']);
    expect(cards).toEqual(['B']);
    await settle();
    expect(follower.session.state.turns).toEqual(writer.session.state.turns);
    for (const { session } of [follower, writer]) await session.dispose();
  });

  it('agents C28: answers the question of an agent of the tab that writes', async () => {
    const { clock, cards, tab } = tabs({ guards: [confirmTools('board.add')] });
    const writer = await tab([delegate('a'), say('Done.')], { a: [add('A'), say('A.')] });
    const follower = await tab([], { a: [] });
    const sent = writer.session.send('Go');
    await clock.advance(100);
    const question = follower.session.pendingConfirmation.value!;
    expect(question.agent).toMatchObject({ id: 'a', child: liveChildren(writer)[0]!.id });
    const answered = question.approve();
    await clock.advance(100);
    expect([await answered, (await sent).text, cards]).toEqual(['accepted', 'Done.', ['A']]);
    for (const { session } of [follower, writer]) await session.dispose();
  });
});

describe('a tab that takes over with an open child turn', () => {
  it('agents C50, C51: shows it, and `resume` goes on with it where it was', async () => {
    const { cards, next, before, stored } = await takenOver([say('Done.')], { a: [say('Looked.')] });
    expect(next.session.interrupted.value).toMatchObject({ at: 'batch', unknown: [] });
    expect(liveChildren(next)).toMatchObject([{ id: before[0]!.id, agent: 'a', status: 'running' }]);
    expect(await next.session.resume()).toMatchObject({ status: 'completed', text: 'Done.' });
    expect([endsOf(next), cards]).toEqual([['a completed'], ['A']]);
    expect(childrenOf(next.session.state.turns[0]!)[0]!.id).toBe(before[0]!.id);
    const operations = await stored();
    expect(checkOrder(operations)).toEqual([]);
    const { turns, undoEntries } = fold(initialState(), operations);
    expect([turns, undoEntries]).toEqual([next.session.state.turns, next.session.state.undoEntries]);
    await next.session.undo();
    expect(cards).toEqual([]);
    await next.session.dispose();
  });

  it('agents C54: `abandon` takes back what it did', async () => {
    const { cards, next } = await takenOver([], { a: [] });
    const report = await next.session.abandon();
    expect(report.done.map(({ description }) => description)).toEqual(['Added A']);
    expect([cards, endsOf(next)]).toEqual([[], ['a failed']]);
    await next.session.dispose();
  });

  it('agents C34: `cancel({ child })` does nothing before the turn goes on, and ends the child turn after that', async () => {
    const { clock, cards, next, before } = await takenOver([say('Done.')], { a: [stall('Again')] });
    const child = before[0]!.id;
    expect(await next.session.cancel({ child })).toMatchObject({ landed: 'idle', cancelled: false });
    expect(cards).toEqual(['A']);
    const resumed = next.session.resume();
    await clock.advance(1_000);
    expect(await next.session.cancel({ child })).toMatchObject({ cancelled: true });
    expect(await resumed).toMatchObject({ text: 'Done.' });
    expect([endsOf(next), cards]).toEqual([['a cancelled'], []]);
    await next.session.dispose();
  });

  it('agents C50: keeps the question of its agent, under its id, and runs the call after the answer', async () => {
    const ask = { a: [add('A'), say('A.')] };
    const { clock, cards, dead, next } = await takenOver(
      [say('Done.')],
      { a: [say('A.')] },
      { guards: [confirmTools('board.add')], working: ask },
    );
    const { id } = dead.session.pendingConfirmation.value!;
    expect(next.session.pendingConfirmation.value).toMatchObject({ id, expiresAt: null, agent: { id: 'a' } });
    const resumed = next.session.resume();
    await clock.advance(1_000);
    expect(next.session.pendingConfirmations.value.map((question) => question.id)).toEqual([id]);
    await next.session.pendingConfirmation.value!.approve();
    expect(await resumed).toMatchObject({ text: 'Done.' });
    expect(cards).toEqual(['A']);
    await next.session.dispose();
  });

  it('agents C50: with an agent inside an agent, goes on at the innermost point', async () => {
    const { cards, next } = await takenOver(
      [say('Done.')],
      { lead: [say('Led.')], a: [say('Looked.')] },
      {
        first: delegate('lead'),
        working: { lead: [add('L'), delegate('a')], a: [add('A'), stall('Look')] },
        limits: { maxDepth: 2 },
      },
    );
    expect(liveChildren(next).map(({ agent: id, status }) => `${id} ${status}`)).toEqual([
      'lead running',
      'a running',
    ]);
    expect(await next.session.resume()).toMatchObject({ text: 'Done.' });
    expect([endsOf(next), cards]).toEqual([
      ['lead completed', 'a completed'],
      ['L', 'A'],
    ]);
    await next.session.undo();
    expect(cards).toEqual([]);
    await next.session.dispose();
  });

  it('agents C34: a `cancel({ child })` that the killed tab did not answer reports that nothing was cancelled', async () => {
    const { clock, tab } = tabs();
    const dead = await tab([delegate('a', 'b')], { a: [stall('Look')], b: [stall('Wait')] });
    const next = await tab([say('Done.')], { a: [say('A.')], b: [say('B.')] });
    dead.session.send('Go').catch(() => {});
    await clock.advance(100);
    const ids = liveChildren(next).map(({ id }) => id);
    dead.kill();
    const cancelled = next.session.cancel({ child: ids[0]! });
    await clock.advance(TAKEN_OVER);
    expect(await cancelled).toMatchObject({ landed: 'idle', cancelled: false });
    expect(next.session.state.interrupted).toMatchObject({ at: 'batch' });
    expect(await next.session.resume()).toMatchObject({ text: 'Done.' });
    const children = childrenOf(next.session.state.turns[0]!);
    expect(children.map(({ id, status }) => [id, status])).toEqual(ids.map((id) => [id, 'completed']));
    await next.session.dispose();
  });
});
