// Undo and redo of the effects of child turns.
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, createVirtualClock, fail, memoryLog, say, type AnswerSource } from '@banister/testing';
import {
  defineTool,
  UndoHistory,
  type Domain,
  type CommittedEffects,
  type SavedConversation,
  type SessionOptions,
  type UndoProvider,
  type UndoTransaction,
  type UndoTurn,
} from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { add, agent, delegate, pathBoard, team } from './agents-board.js';
import { agentsLoaded } from './agents-loaded.js';
import { dataBoard } from './data-board.js';
import { fixture, names, rejection, type FixtureOptions } from './fixture.js';
import { createSession, opened, recordsOf } from './opened.js';

beforeAll(() => Promise.all([agentsLoaded(), import('../src/session/log-chunk.js')]));

const look = callTools({ tool: 'board.look', args: {} }, { tool: 'board.look', args: {} });

describe('the order of the effects of all agents', () => {
  /** A turn with cards of its own before and after the cards of two agents that work side by side. */
  function crossed(last: ReturnType<typeof say>) {
    const { domain, ...board } = pathBoard();
    const f = fixture([add('R1'), look, look, add('R2'), delegate('a', 'b'), add('R3'), last], {
      domains: [domain, team()],
      agents: [
        agent('a', [add('A1'), look, add('A2'), say('A.')]),
        agent('b', [add('B1'), add('B2'), say('B.')]),
      ],
      reportsErrors: true,
    });
    return { f, ...board };
  }
  const order = ['R1', 'R2', 'A1', 'B1', 'B2', 'A2', 'R3'];
  const backwards = order.toReversed().map((title) => `-${title}`);

  it('agents C13: an undo goes through the effects of all agents newest first, and a redo oldest first', async () => {
    const { f, cards, moves } = crossed(say('Done.'));
    await using _ended = f;
    await f.session.send('Go');
    expect(cards).toEqual(order);
    expect(f.session.state.turns[0]!.effects.map(({ description }) => description)).toEqual(order);
    expect(names((await f.session.undo()).done)).toEqual(order.toReversed());
    expect(moves).toEqual(backwards);
    await f.session.redo();
    expect(moves.slice(order.length)).toEqual(order.map((title) => `+${title}`));
    expect(cards).toEqual(order);
  });

  it('agents C13: a rollback goes through the effects of all agents newest first', async () => {
    const { f, cards, moves } = crossed(fail('auth'));
    await using _ended = f;
    await rejection(f.session.send('Go'));
    expect(moves).toEqual(backwards);
    expect(cards).toEqual([]);
  });
});

it('agents C14: an effect of a failing child turn that cannot be taken back is reported as failed, and belongs to the turn', async () => {
  const { domain, cards } = pathBoard();
  const stuck: Domain = {
    id: 'board',
    tools: [
      ...domain.tools,
      defineTool({
        name: 'stick',
        description: 'Adds a card that stays.',
        parameters: { type: 'object' },
        execute(_args, { undo }) {
          cards.push('stuck');
          undo({
            description: 'stuck',
            paths: ['cards/stuck'],
            revert: () => {
              throw new Error('It sticks.');
            },
          });
        },
      }),
    ],
  };
  await using f = fixture([delegate('a'), say('Done.')], {
    domains: [stuck, team()],
    agents: [agent('a', [add('A'), callTools({ tool: 'board.stick', args: {} }), fail('auth')])],
  });
  await f.session.send('Go');
  const [turn] = f.session.state.turns;
  const [child] = childrenOf(turn!);
  expect(child!.outcome!.report).toMatchObject({
    done: [{ description: 'A', child: child!.id }],
    failed: [{ description: 'stuck', child: child!.id, reason: 'It sticks.' }],
  });
  expect(cards).toEqual(['stuck']);
  expect(turn!.effects).toMatchObject([{ description: 'stuck', child: child!.id }]);
});

describe('undo of one child turn', () => {
  /** A turn in which two agents add cards side by side, and then the turn adds cards of its own. */
  async function worked(
    {
      a,
      b,
      own = [],
    }: { readonly a: readonly string[]; readonly b: readonly string[]; readonly own?: readonly string[] },
    more: readonly AnswerSource[] = [],
    options: Partial<FixtureOptions> = {},
  ) {
    const { domain, ...board } = pathBoard();
    const f = fixture([delegate('a', 'b'), ...own.map(add), say('Done.'), ...more], {
      domains: [domain, team()],
      agents: [agent('a', [...a.map(add), say('A.')]), agent('b', [...b.map(add), say('B.')])],
      ...options,
    });
    await f.session.send('Go');
    const turnId = f.session.state.turns[0]!.id;
    const [first, second] = childrenOf(f.session.state.turns[0]!).map(({ id }) => id);
    const groups = () =>
      f.session.state.undoEntries[0]!.groups!.map(({ agent: id, state }) => `${id} ${state}`);
    const entry = () => f.session.state.undoEntries[0]!;
    return { f, ...board, turnId, a: first!, b: second!, groups, entry };
  }

  it('agents C18: takes back its effects alone, and `undo` takes back the rest', async () => {
    const { f, cards, turnId, a, groups, entry } = await worked({ a: ['A1', 'A2'], b: ['B1'], own: ['R'] });
    await using _ended = f;
    expect(entry().groups).toEqual([
      { child: a, agent: 'a', label: 'Work, a.', state: 'done', undoable: true },
      expect.objectContaining({ agent: 'b' }),
    ]);
    expect(names((await f.session.undo({ turnId, child: a })).done)).toEqual(['A2', 'A1']);
    expect(cards).toEqual(['B1', 'R']);
    expect(entry()).toMatchObject({ state: 'partly-undone', undoable: true });
    expect(groups()).toEqual(['a undone', 'b done']);
    expect(f.session.canRedo.value).toBe(false);
    expect(names((await f.session.undo()).done)).toEqual(['R', 'B1']);
    expect(cards).toEqual([]);
    expect(entry().state).toBe('undone');
    expect(groups()).toEqual(['a undone', 'b undone']);
    await f.session.redo();
    expect(cards).toEqual(['A1', 'B1', 'A2', 'R']);
    expect(entry().state).toBe('done');
    expect(groups()).toEqual(['a done', 'b done']);
  });

  it('agents C18: a redo of the child turn makes its effects again', async () => {
    const { f, cards, turnId, a, b, groups, entry } = await worked({ a: ['A1'], b: ['B1'] });
    await using _ended = f;
    await f.session.undo({ turnId, child: a });
    await f.session.undo({ turnId, child: b });
    expect(entry().state).toBe('undone');
    expect(names((await f.session.redo({ turnId, child: a })).done)).toEqual(['A1']);
    expect(groups()).toEqual(['a done', 'b undone']);
    expect(entry().state).toBe('partly-redone');
    await f.session.redo();
    expect(cards).toEqual(['A1', 'B1']);
    expect(entry().state).toBe('done');
    await f.session.undo({ turnId, child: b });
    await f.session.redo({ turnId, child: b });
    expect(entry().state).toBe('done');
    await f.session.undo();
    await f.session.redo({ turnId, child: b });
    expect(cards).toEqual(['B1']);
  });

  it('agents C18: rejects `conflict` with the agents whose later effects touched the same, in the order of undo', async () => {
    const { f, cards, turnId, a, b, entry } = await worked({ a: ['A'], b: ['A/part'], own: ['A/part/more'] });
    await using _ended = f;
    const error = await rejection(f.session.undo({ turnId, child: a }));
    expect(error).toMatchObject({ code: 'conflict', details: { inTheWay: [turnId, b] } });
    expect(entry().groups!.map(({ inTheWay }) => inTheWay)).toEqual([[turnId, b], [turnId]]);
    expect(cards).toHaveLength(3);
    await f.session.undo();
    expect(cards).toEqual([]);
  });

  it('agents C18: an agent without the other in its way goes first, and is made again last', async () => {
    const { f, cards, turnId, a, b, entry } = await worked({ a: ['A'], b: ['A/part'] });
    await using _ended = f;
    await f.session.undo({ turnId, child: b });
    expect(entry().groups!.map(({ inTheWay }) => inTheWay)).toEqual([undefined, undefined]);
    await f.session.undo({ turnId, child: a });
    expect(cards).toEqual([]);
    expect(entry().groups!.map(({ inTheWay }) => inTheWay)).toEqual([undefined, [a]]);
    const error = await rejection(f.session.redo({ turnId, child: b }));
    expect(error).toMatchObject({ code: 'conflict', details: { inTheWay: [a] } });
    await f.session.redo({ turnId, child: a });
    await f.session.redo({ turnId, child: b });
    expect(cards).toEqual(['A', 'A/part']);
  });

  it('agents C18: rejects `conflict` with the later turns that touched the same, and not for other turns', async () => {
    const { f, cards, turnId, a, b, entry } = await worked({ a: ['A'], b: ['B'] }, [
      add('A/late'),
      say('Done.'),
    ]);
    await using _ended = f;
    await f.session.send('More');
    const later = f.session.state.turns[1]!.id;
    expect(entry().groups!.map(({ inTheWay }) => inTheWay)).toEqual([[later], undefined]);
    const error = await rejection(f.session.undo({ turnId, child: a, force: true }));
    expect(error).toMatchObject({ code: 'conflict', details: { inTheWay: [later] } });
    await f.session.undo({ turnId, child: b });
    await f.session.undo();
    expect(entry().groups![0]!.inTheWay).toBeUndefined();
    await f.session.undo({ turnId, child: a });
    expect(cards).toEqual([]);
  });

  it('agents C18: a child turn without effects has no group, and a turn without effects of agents has no groups', async () => {
    const one = await worked({ a: ['A'], b: [] });
    await using _one = one.f;
    expect(one.groups()).toEqual(['a done']);
    const none = await worked({ a: [], b: [], own: ['R'] });
    await using _none = none.f;
    expect(none.entry()).not.toHaveProperty('groups');
  });

  it('agents C18: an earlier turn that is undone is in the way of a redo of a child turn that touched the same', async () => {
    const { domain, cards } = pathBoard();
    await using f = fixture([add('A'), say('Done.'), delegate('a'), say('Done.')], {
      domains: [domain, team()],
      agents: [agent('a', [add('A/part'), say('A.')])],
    });
    await f.session.send('First');
    await f.session.send('Second');
    const [first, second] = f.session.state.turns.map(({ id }) => id);
    const group = () => f.session.state.undoEntries[1]!.groups![0]!;
    await f.session.undo({ turnId: second!, child: group().child });
    expect(group().inTheWay).toBeUndefined();
    await f.session.undo({ turnId: first! });
    expect(cards).toEqual([]);
    expect(group()).toMatchObject({ state: 'undone', inTheWay: [first] });
    const error = await rejection(f.session.redo({ turnId: second!, child: group().child }));
    expect(error).toMatchObject({ code: 'conflict', details: { inTheWay: [first] } });
    await f.session.redo({ turnId: first! });
    await f.session.redo({ turnId: second!, child: group().child });
    expect(cards).toEqual(['A', 'A/part']);
  });

  it('agents C18: effects of a child turn with those of the child turns inside it', async () => {
    const { domain, cards } = pathBoard();
    await using f = fixture([delegate('lead', 'b'), say('Done.')], {
      domains: [domain, team()],
      agents: [
        agent('lead', [add('L'), delegate('a'), add('M'), say('Led.')]),
        agent('a', [add('A'), say('A.')]),
        agent('b', [add('B'), say('B.')]),
      ],
      limits: { maxDepth: 2 },
    });
    await f.session.send('Go');
    const [{ turnId, groups }] = f.session.state.undoEntries as readonly [UndoTurn];
    expect(groups!.map((group) => group.agent)).toEqual(['lead', 'a', 'b']);
    await f.session.undo({ turnId, child: groups![1]!.child });
    expect(cards).toEqual(['L', 'B', 'M']);
    expect(f.session.state.undoEntries[0]!.groups!.map(({ state }) => state)).toEqual([
      'partly-undone',
      'undone',
      'done',
    ]);
    expect(names((await f.session.undo({ turnId, child: groups![0]!.child })).done)).toEqual(['M', 'L']);
    expect(cards).toEqual(['B']);
  });

  it('agents C18: rejects for an unknown child turn, and for a child turn with nothing to undo or redo', async () => {
    const { f, turnId, a, b } = await worked({ a: ['A'], b: [] });
    await using _ended = f;
    for (const options of [{ turnId, child: 'turn_99' }, { turnId: 'turn_99', child: a }, { child: a }])
      expect((await rejection(f.session.undo(options))).code).toBe('invalid-input');
    expect((await rejection(f.session.undo({ turnId, child: b }))).code).toBe('nothing-to-undo');
    expect((await rejection(f.session.redo({ turnId, child: a }))).code).toBe('nothing-to-undo');
    await f.session.undo({ turnId, child: a });
    expect((await rejection(f.session.undo({ turnId, child: a }))).code).toBe('nothing-to-undo');
  });

  it('agents C18: a new turn closes the redo of a child turn', async () => {
    const { f, turnId, a } = await worked({ a: ['A'], b: ['B'] }, [say('Yes.')]);
    await using _ended = f;
    await f.session.undo({ turnId, child: a });
    await f.session.send('More');
    expect((await rejection(f.session.redo({ turnId, child: a }))).code).toBe('nothing-to-undo');
  });

  it('agents C18: a history of the app without groups rejects `unsupported`, and takes the whole turn back', async () => {
    const closures = new UndoHistory();
    const history: UndoProvider = { begin: (label) => closures.begin(label) };
    const { f, cards, turnId, a } = await worked({ a: ['A'], b: ['B'] }, [], { history });
    await using _ended = f;
    expect((await rejection(f.session.undo({ turnId, child: a }))).code).toBe('unsupported');
    expect(cards).toEqual(['A', 'B']);
    await f.session.undo();
    expect((await rejection(f.session.redo({ turnId, child: a }))).code).toBe('unsupported');
    expect(cards).toEqual([]);
  });

  it('agents C18: a history of the app with groups gets the calls of the child turn, also after failures', async () => {
    const closures = new UndoHistory();
    const asked: (readonly string[] | undefined)[] = [];
    const history: UndoProvider = {
      groups: true,
      begin(label) {
        const transaction = closures.begin(label) as UndoTransaction;
        const commit = async (): Promise<CommittedEffects> => {
          const { revert, reapply, ...rest } = await transaction.commit();
          return {
            ...rest,
            revert: (expected, callIds) => {
              if (asked.push(callIds && [...callIds]) === 1) throw new Error('Not now.');
              return revert(expected, callIds);
            },
            reapply,
          };
        };
        return { ...transaction, commit };
      },
    };
    const { f, cards, turnId, a, groups, entry } = await worked({ a: ['A'], b: ['B'] }, [], { history });
    await using _ended = f;
    const failedReport = await f.session.undo({ turnId, child: a });
    expect(failedReport).toMatchObject({
      done: [],
      failed: [{ description: 'A', reason: 'Not now.' }],
      irreversible: [],
    });
    expect(groups()).toEqual(['a done', 'b done']);
    expect(entry().state).toBe('partly-undone');
    await f.session.undo({ turnId, child: a });
    const id = entry().effects.find(({ child }) => child === a)!.toolCallId;
    expect(asked).toEqual([[id], [id]]);
    expect(cards).toEqual(['B']);
    await f.session.redo({ turnId, child: a });
    expect(cards).toEqual(['B', 'A']);
    await f.session.undo();
    expect(asked.at(-1)).toBeUndefined();
  });

  it('agents C18: a change of the user in a domain of the child turn rejects `conflict`, and one elsewhere does not', async () => {
    const [first, second] = [dataBoard(), dataBoard()];
    const addTo = (board: string) => callTools({ tool: `${board}.add`, args: { title: board } });
    await using f = fixture([delegate('a', 'b'), say('Done.')], {
      domains: [first.domain(), { ...second.domain(), id: 'team2' }, team()],
      agents: [
        agent('a', [addTo('board'), say('A.')]),
        { ...agent('b', [addTo('team2'), say('B.')]), tools: ['team2'] },
      ],
    });
    await f.session.send('Go');
    const [{ turnId, groups }] = f.session.state.undoEntries as readonly [UndoTurn];
    first.cards.push('by the user');
    const error = await rejection(f.session.undo({ turnId, child: groups![0]!.child }));
    expect(error).toMatchObject({ code: 'conflict', details: { domains: ['board'] } });
    await f.session.undo({ turnId, child: groups![1]!.child });
    expect(second.cards).toEqual([]);
    first.cards.pop();
    await f.session.undo({ turnId, child: groups![0]!.child });
    expect(first.cards).toEqual([]);
    f.session.touch('board');
    expect((await rejection(f.session.redo({ turnId }))).code).toBe('nothing-to-undo');
    expect((await rejection(f.session.redo({ turnId, child: groups![1]!.child }))).code).toBe(
      'nothing-to-undo',
    );
  });
});

describe('undo of one child turn elsewhere', () => {
  /** The options of sessions of one log, with two agents of which each adds a card. */
  function shared() {
    const clock = createVirtualClock(1_000);
    const board = dataBoard([], true);
    const options = (): Partial<SessionOptions> => ({
      id: 'chat',
      log,
      domains: [board.domain(), team()],
      agents: [agent('a', [add('A'), say('A.')]), agent('b', [add('B'), say('B.')])],
    });
    const log = memoryLog({ clock });
    return { clock, board, options };
  }

  it('agents C18, C20: a session that opens the log undoes and redoes one child turn by its data', async () => {
    const { clock, board, options } = shared();
    const first = createSession([delegate('a', 'b'), say('Done.')], options(), clock);
    await opened(first.session);
    await first.session.send('Go');
    const [{ turnId, groups }] = first.session.state.undoEntries as readonly [UndoTurn];
    await first.session.undo({ turnId, child: groups![1]!.child });
    const before = first.session.state.undoEntries;
    await first.session.dispose();

    const { session } = createSession([], options(), clock);
    await opened(session);
    expect(session.state.undoEntries).toEqual(before);
    await session.redo({ turnId, child: groups![1]!.child });
    expect(board.cards).toEqual(['A', 'B']);
    await session.undo({ turnId, child: groups![0]!.child });
    expect(board.cards).toEqual(['B']);
    expect(session.state.undoEntries[0]!.groups!.map(({ state }) => state)).toEqual(['undone', 'done']);
    await session.undo();
    expect(board.cards).toEqual([]);
    await session.dispose();
  });

  it('agents C18: a session that goes on with a saved conversation undoes one child turn', async () => {
    const { clock, board, options } = shared();
    const { log: _log, id: _id, ...alone } = options();
    const first = createSession([delegate('a', 'b'), say('Done.')], alone, clock);
    await first.session.send('Go');
    const conversation = JSON.parse(JSON.stringify(first.session.save())) as SavedConversation;
    await first.session.dispose();
    const next = createSession([], { ...alone, conversation }, clock);
    expect(next.session.state.undoEntries).toEqual(first.session.state.undoEntries);
    const [{ turnId, groups }] = next.session.state.undoEntries as readonly [UndoTurn];
    await next.session.undo({ turnId, child: groups![0]!.child });
    expect(board.cards).toEqual(['B']);
    await next.session.redo({ turnId, child: groups![0]!.child });
    expect(board.cards).toEqual(['B', 'A']);
    await next.session.dispose();
  });

  it('agents C18, C20: without the code of its tools, the effects of a child turn are lost', async () => {
    const { clock, options } = shared();
    const first = createSession([delegate('a', 'b'), say('Done.')], options(), clock);
    await opened(first.session);
    await first.session.send('Go');
    const [{ turnId, groups }] = first.session.state.undoEntries as readonly [UndoTurn];
    await first.session.dispose();
    const { session } = createSession([], { ...options(), domains: [team()], agents: [] }, clock);
    await opened(session);
    expect(session.state.undoEntries[0]!.groups).toMatchObject([{ undoable: false }, { undoable: false }]);
    expect((await rejection(session.undo({ turnId, child: groups![0]!.child }))).code).toBe(
      'nothing-to-undo',
    );
    await session.dispose();
  });

  it('agents C18: a session that follows the log calls it, and both show the same', async () => {
    const { clock, board, options } = shared();
    const owner = createSession([delegate('a', 'b'), say('Done.')], options(), clock);
    await opened(owner.session);
    await owner.session.send('Go');
    const follower = createSession([], options(), clock);
    await opened(follower.session);
    const [{ turnId, groups }] = follower.session.state.undoEntries as readonly [UndoTurn];
    const undone = follower.session.undo({ turnId, child: groups![0]!.child });
    await clock.advance(100);
    expect(names((await undone).done)).toEqual(['Added A']);
    expect(board.cards).toEqual(['B']);
    expect(follower.session.state.undoEntries).toEqual(owner.session.state.undoEntries);
    const redone = follower.session.redo({ turnId, child: groups![0]!.child });
    await clock.advance(100);
    await redone;
    expect(board.cards).toEqual(['B', 'A']);
    await follower.session.dispose();
    await owner.session.dispose();
  });

  it.each(['undo', 'redo'] as const)(
    'agents C18: an interrupted %s of one child turn is finished for this child turn alone',
    async (direction) => {
      const options = (board: ReturnType<typeof dataBoard>): Partial<SessionOptions> => ({
        domains: [board.domain(), team()],
        agents: [agent('a', [add('A1'), add('A2'), say('A.')]), agent('b', [add('B'), say('B.')])],
      });
      const first = createSession([delegate('a', 'b'), say('Done.')], options(dataBoard([], true)));
      await first.session.send('Go');
      const [{ turnId, groups }] = first.session.state.undoEntries as readonly [UndoTurn];
      const { child } = groups![0]!;
      await first.session.undo({ turnId, child });
      if (direction === 'redo') await first.session.redo({ turnId, child });
      const type = direction === 'undo' ? 'effectReverted' : 'effectReapplied';
      const end = first.operations.findIndex((operation) => operation.type === type) + 1;
      await first.session.dispose();

      const board = dataBoard(direction === 'undo' ? ['A1', 'B'] : ['B', 'A1'], true);
      const records = recordsOf([first.operations.slice(0, end)]);
      const next = createSession([], { ...options(board), restored: { snapshot: null, records } });
      await opened(next.session);
      expect(next.session.interrupted.value).toMatchObject({ at: direction, turnId });
      const other = groups![1]!.child;
      const error = await rejection(next.session.undo({ turnId, child: other }));
      expect(error).toMatchObject({ code: 'conflict', details: { reason: 'interrupted' } });
      const report = await next.session.abandon();
      expect(names(report.done).toSorted()).toEqual(['Added A1', 'Added A2']);
      expect([report.failed, report.irreversible, report.lost, report.unknown]).toEqual([[], [], [], []]);
      expect(board.cards).toEqual(direction === 'undo' ? ['B'] : ['B', 'A1', 'A2']);
      expect(next.session.state.undoEntries[0]!.groups!.map(({ state }) => state)).toEqual([
        direction === 'undo' ? 'undone' : 'done',
        'done',
      ]);
      await next.session.dispose();
    },
  );
});
