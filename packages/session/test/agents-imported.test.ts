// Logs and conversations of unknown origin, with agents inside of agents.
import { beforeAll, describe, expect, it } from 'vitest';
import { allCallsOf, confirmTools, type Agent, type Operation, type SessionOptions } from '@banister/session';
import { importedConversation } from '@banister/session/export';
import { readLog, savedState } from '@banister/session/log';
import { childrenOf, fold, initialState } from '@banister/session/operations';
import { say, settle, stall, type AnswerSource, type ScriptedProvider } from '@banister/testing';
import { importedState } from '../src/session/imported-state.js';
import { foldStateOf } from '../src/state/session-state.js';
import { add, agent, delegate, team } from './agents-board.js';
import { agentsLoaded } from './agents-loaded.js';
import { dataBoard } from './data-board.js';
import { codeOf, createSession, opened } from './opened.js';

beforeAll(() => Promise.all([agentsLoaded(), import('../src/session/end-interruption.js')]));

const copyOf = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;

type Answers = Readonly<Record<string, readonly AnswerSource[]>>;

/** The options of a session whose agents have these answers. An agent may run another one. */
function options(board: ReturnType<typeof dataBoard>, agents: Answers): Partial<SessionOptions> {
  return {
    domains: [board.domain(), team()],
    agents: Object.entries(agents).map(([id, answers]): Agent => agent(id, answers)),
    guards: [confirmTools('board.add')],
    limits: { maxDepth: 2, maxToolCalls: 60, timeoutMs: 300_000 },
  };
}

/** A session in which the agent `lead` adds a card, and then runs the agent `a`, which adds two. The user approves each card for the turn. */
async function played(ofA: readonly AnswerSource[], own: readonly AnswerSource[] = [say('Done.')]) {
  const board = dataBoard([], true);
  const agents = { lead: [add('L'), delegate('a'), say('Led.')], a: [add('A1'), add('A2'), ...ofA] };
  const one = createSession([delegate('lead'), ...own], options(board, agents));
  one.session.pendingConfirmation.subscribe((question) => {
    if (question) void settle().then(() => question.approve({ remember: 'turn', scope: 'tool' }));
  });
  const sent = one.session.send('Go');
  sent.catch(() => {});
  return { ...one, board, sent };
}

/** A session with an import of a log, whose agents answer only if an answer is given. */
async function imported(log: readonly Operation[], agents: Answers, answers: readonly AnswerSource[] = []) {
  const snapshot = copyOf(savedState(importedState(fold(initialState(), copyOf(log)))));
  const board = dataBoard(['L', 'A1', 'A2'], true);
  const given = options(board, agents);
  const one = createSession(answers, { ...given, restored: { snapshot, records: [] } });
  await opened(one.session);
  const requestsOf = (id: string) =>
    (given.agents!.find((it) => it.id === id)!.provider as ScriptedProvider).requests.length;
  return { ...one, board, requestsOf };
}

describe('an import of a log with an agent inside an agent', () => {
  it('audit-X1, audit-X2: which ends anywhere has no open child turn, no grant, no question of an agent, and no undo data, at any depth', async () => {
    const { operations, session, sent } = await played([say('Added.')]);
    await sent;
    const depths = new Set<number>();
    for (let end = 1; end <= operations.length; end++) {
      const file = fold(initialState(), copyOf(operations.slice(0, end)));
      const state = importedState(file);
      const records = [...state.turns, ...(state.liveTurn === null ? [] : [state.liveTurn])];
      depths.add(file.liveTurn === null ? 0 : childrenOf(file.liveTurn).length);
      const running = records
        .flatMap(childrenOf)
        .filter(({ status, phase }) => status === 'running' || phase !== 'idle');
      expect([end, running]).toEqual([end, []]);
      const started = records.flatMap(allCallsOf).filter((call) => call.state === 'executing');
      expect([end, started]).toEqual([end, []]);
      expect([end, state.grants, state.canUndo, state.canRedo]).toEqual([end, [], false, false]);
      expect([end, state.pendingConfirmations.filter((question) => question.agent)]).toEqual([end, []]);
      expect([end, state.phase === 'confirming', state.pendingConfirmations.length > 0]).toEqual([
        end,
        state.pendingConfirmations.length > 0,
        state.pendingConfirmations.length > 0,
      ]);
      const { turn, undo } = foldStateOf(state).fold;
      const steps = [...undo.map((note) => note.undo), ...(turn ? [turn.undo.undo] : [])].flatMap(
        ({ calls }) => calls.flatMap((call) => call.steps),
      );
      expect([end, steps.filter((step) => 'data' in step || !('imported' in step))]).toEqual([end, []]);
      expect([end, turn?.children ?? {}]).toEqual([end, {}]);
      expect([end, readLog({ snapshot: copyOf(savedState(state)), records: [] }).problem]).toEqual([
        end,
        null,
      ]);
    }
    expect(Math.max(...depths)).toBe(2);
    await session.dispose();
  });

  it('audit-X1: with open child turns, `resume` asks the model of the session, and no agent', async () => {
    const { operations, session, board } = await played([stall('Look')]);
    for (let times = 0; times < 50 && board.cards.length < 3; times++) await settle();
    await settle();
    expect(childrenOf(session.state.liveTurn!).map(({ status }) => status)).toEqual(['running', 'running']);
    const next = await imported(operations, { lead: [], a: [] }, [say('Done.')]);
    expect(next.session.interrupted.value).toMatchObject({ at: 'batch' });
    const { liveTurn } = next.session.state;
    expect(childrenOf(liveTurn!).map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(next.session.state.phase).toBe('idle');
    expect(await next.session.resume()).toMatchObject({ status: 'completed', text: 'Done.' });
    expect([next.requestsOf('lead'), next.requestsOf('a')]).toEqual([0, 0]);
    expect(next.board.cards).toEqual(['L', 'A1', 'A2']);
    const [turn] = next.session.state.turns;
    expect(allCallsOf(turn).filter(({ state }) => state === 'executing')).toEqual([]);
    expect(await codeOf(next.session.undo())).toBe('nothing-to-undo');
    await next.session.dispose();
    await session.dispose({ turn: 'leave' });
  });

  it('audit-X1: which ends anywhere in a child turn goes on with the model of the session', async () => {
    const { operations, session, sent } = await played([say('Added.')]);
    await sent;
    let resumed = 0;
    for (let end = 1; end < operations.length; end++) {
      const { liveTurn } = fold(initialState(), copyOf(operations.slice(0, end)));
      if (liveTurn === null || !childrenOf(liveTurn).some(({ status }) => status === 'running')) continue;
      const next = await imported(operations.slice(0, end), { lead: [], a: [] }, [say('Over.')]);
      expect(await next.session.resume()).toMatchObject({ status: 'completed', text: 'Over.' });
      expect([end, next.requestsOf('lead'), next.requestsOf('a')]).toEqual([end, 0, 0]);
      resumed++;
      await next.session.dispose();
    }
    expect(resumed).toBeGreaterThan(20);
    await session.dispose();
  });

  it('audit-X2: `abandon` reports the effects of the agents as lost, and takes nothing back', async () => {
    const { operations, session, board } = await played([stall('Look')]);
    for (let times = 0; times < 50 && board.cards.length < 3; times++) await settle();
    const next = await imported(operations, { lead: [], a: [] });
    const report = await next.session.abandon();
    expect(report.done).toEqual([]);
    expect(report.lost.map(({ description }) => description).toSorted()).toEqual([
      'Added A1',
      'Added A2',
      'Added L',
    ]);
    expect([next.board.cards, next.board.runs]).toEqual([['L', 'A1', 'A2'], []]);
    await next.session.dispose();
    await session.dispose({ turn: 'leave' });
  });

  it('audit-X2: of a turn that has ended offers no undo of an agent, at any depth', async () => {
    const { operations, session, sent } = await played([say('Added.')]);
    await sent;
    const { turnId, groups = [] } = session.state.undoEntries[0]!;
    expect(groups).toHaveLength(2);
    const next = await imported(operations, { lead: [], a: [] });
    for (const { child } of groups)
      expect(await codeOf(next.session.undo({ turnId, child }))).toBe('nothing-to-undo');
    expect(await codeOf(next.session.undo({ turnId }))).not.toBe('resolved');
    expect([next.board.cards, next.board.runs]).toEqual([['L', 'A1', 'A2'], []]);
    await next.session.dispose();
    await session.dispose();
  });

  it('audit-X1: a call that would run an agent, and that had not started, is asked about first', async () => {
    const { operations, session, sent } = await played([say('Added.')]);
    await sent;
    const end = operations.findIndex(({ type }) => type === 'toolStarted');
    const next = await imported(operations.slice(0, end), { lead: [say('Led.')], a: [] }, [say('Done.')]);
    const resumed = next.session.resume();
    await settle();
    expect(next.session.pendingConfirmations.value.map(({ call }) => call.tool)).toEqual(['team.work']);
    expect(next.requestsOf('lead')).toBe(0);
    await next.session.pendingConfirmation.value!.approve();
    expect(await resumed).toMatchObject({ text: 'Done.' });
    expect(next.requestsOf('lead')).toBe(1);
    await next.session.dispose();
    await session.dispose();
  });
});

describe('an import of a saved conversation with an agent inside an agent', () => {
  it('audit-X2: has the effects of all agents as lost, without their data', async () => {
    const { session, sent } = await played([say('Added.')]);
    await sent;
    const saved = importedConversation(copyOf(session.save()));
    expect(JSON.stringify(saved)).not.toContain('"data":{"title"');
    const board = dataBoard(['L', 'A1', 'A2'], true);
    const next = createSession([], { ...options(board, { lead: [], a: [] }), conversation: saved });
    expect(next.session.canUndo.value).toBe(false);
    const { turnId, groups = [] } = session.state.undoEntries[0]!;
    for (const { child } of groups)
      expect(await codeOf(next.session.undo({ turnId, child }))).not.toBe('resolved');
    expect([board.cards, board.runs]).toEqual([['L', 'A1', 'A2'], []]);
    await next.session.dispose();
    await session.dispose();
  });
});
