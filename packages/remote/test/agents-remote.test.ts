// A session elsewhere whose turns have child turns.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import {
  confirmTools,
  createAgentSession,
  defineDomain,
  defineTool,
  immediate,
  preloadTurns,
  type Agent,
  type ChildTurn,
  type LocalAgentSession,
  type SavedConversation,
  type SessionLog,
} from '@banister/session';
import { savedState } from '@banister/session/log';
import { childrenOf } from '@banister/session/operations';
import { broadcast, direct, remoteSession, type RemoteSession, type Transport } from '@banister/remote';
import {
  callTools,
  checkOrder,
  createVirtualClock,
  gate,
  memoryLog,
  say,
  scriptedProvider,
  settle,
  stall,
  type AnswerSource,
} from '@banister/testing';
import { overHttp } from './over-http.js';
import { copying, noValidator, remote } from './remote.js';

/** A board that asks before `ask` adds a card. Each card is a path of its own. */
function board() {
  const cards = new Set<string>();
  const tool = (name: string) =>
    defineTool({
      name,
      description: 'Adds a card.',
      parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      execute({ title }, { undo }) {
        cards.add(title);
        undo({
          description: `Added ${title}`,
          paths: [`cards/${title}`],
          revert: () => void cards.delete(title),
          reapply: () => void cards.add(title),
        });
      },
    });
  return { cards, domain: defineDomain({ id: 'board', tools: [tool('add'), tool('ask')] }) };
}

const card = (title: string, tool = 'add') =>
  callTools('I add. ', { tool: `board.${tool}`, args: { title } });
const delegate = (...agents: readonly string[]) =>
  callTools(
    ...agents.map((agent) => ({ tool: 'banister.delegate', args: { agent, task: `Work, ${agent}.` } })),
  );

const agentOf = (id: string, answers: readonly AnswerSource[]): Agent => ({
  id,
  description: 'Works.',
  role: `You are ${id}.`,
  tools: ['board'],
  provider: scriptedProvider(answers),
});

/** The ways to a session elsewhere: in this process with copies, and over sockets. */
const lines = {
  direct: (host: Transport) =>
    Promise.resolve({
      transport: copying(host),
      breakConnections: undefined,
      async [Symbol.asyncDispose]() {},
    }),
  HTTP: overHttp,
} as const;
type LineName = keyof typeof lines;
const ways: readonly LineName[] = ['direct', 'HTTP'];

/** A host with the agents `a` and `b`, its line, and the states that it had. */
async function stage(
  way: LineName,
  answers: readonly AnswerSource[],
  agents: Readonly<Record<string, readonly AnswerSource[]>>,
) {
  const { cards, domain } = board();
  const host = createAgentSession({
    provider: scriptedProvider(answers),
    domains: [domain],
    guards: [confirmTools('board.ask')],
    agents: Object.entries(agents).map(([id, given]) => agentOf(id, given)),
    limits: { maxToolCalls: 60, timeoutMs: 300_000 },
  });
  const states = new Map<number, SavedConversation>();
  host.operations$.subscribe(({ sequence }) => {
    const { state } = host;
    if (state.sequence === sequence) states.set(sequence, savedState(state));
  });
  const line = await lines[way](direct(host));
  const devices: RemoteSession[] = [];
  return {
    host,
    cards,
    line,
    /** Makes a session elsewhere, and compares its state with the state of the host after each operation. */
    join() {
      const session = remoteSession(line.transport);
      const seen = { compared: 0, differing: [] as unknown[] };
      session.operations$.subscribe(({ sequence, type }) => {
        const expected = states.get(sequence);
        if (session.state.sequence !== sequence || expected === undefined) return;
        seen.compared++;
        if (!isDeepStrictEqual(savedState(session.state), expected)) seen.differing.push([sequence, type]);
      });
      devices.push(session);
      return { session, seen };
    },
    async [Symbol.asyncDispose]() {
      for (const session of devices) await session.dispose();
      await line[Symbol.asyncDispose]();
      await host.dispose();
    },
  };
}

const patience = { timeout: 30_000 };
const open = ({ link }: RemoteSession) => vi.waitFor(() => expect(link.value.open).toBe(true), patience);
const level = (session: RemoteSession, host: LocalAgentSession) =>
  vi.waitFor(() => expect(session.state).toEqual(host.state), patience);

const liveChildren = ({ state: { liveTurn } }: Pick<RemoteSession, 'state'>): readonly ChildTurn[] =>
  liveTurn === null ? [] : childrenOf(liveTurn);

/** Waits until a child turn of the agent shows the text, and returns its id. */
const showing = (session: Pick<RemoteSession, 'state'>, agent: string, text: string) =>
  vi.waitFor(() => {
    const child = liveChildren(session).find((one) => one.agent === agent);
    expect(JSON.stringify(child ?? null)).toContain(text);
    return child!.id;
  }, patience);

const endsOf = (session: Pick<RemoteSession, 'state'>) =>
  childrenOf(session.state.turns[0]!).map(({ agent, status }) => `${agent} ${status}`);

describe.each(ways)('a session elsewhere with child turns, over %s', (way) => {
  it('agents C3: has the state of its host at each operation of two child turns', async () => {
    const answers = { a: [card('A'), say(['On', 'e.'])], b: [say(['T', 'wo']), card('B')] };
    await using f = await stage(way, [delegate('a', 'b'), say('Done.')], answers);
    const { session, seen } = f.join();
    await open(session);
    expect((await session.send('Go')).text).toBe('Done.');
    await level(session, f.host);
    expect(seen.differing).toEqual([]);
    expect(seen.compared).toBeGreaterThan(20);
    expect(endsOf(session)).toEqual(['a completed', 'b completed']);
  });

  it('agents C34: `cancel({ child })` from elsewhere ends this child turn, and the others go on', async () => {
    const rest = gate();
    const answers = { a: [card('A'), stall('Look')], b: [card('B'), say(['Ever', rest, 'y'])] };
    await using f = await stage(way, [delegate('a', 'b'), say('Done.')], answers);
    const { session, seen } = f.join();
    await open(session);
    const sent = session.send('Go');
    const child = await showing(session, 'a', 'Look');
    await showing(session, 'b', 'Ever');
    const report = await session.cancel({ child });
    expect(report).toMatchObject({ landed: 'streaming', cancelled: true });
    expect(report.undo.done.map(({ description }) => description)).toEqual(['Added A']);
    expect([...f.cards]).toEqual(['B']);
    expect(await session.cancel({ child })).toMatchObject({ cancelled: false });
    rest.open();
    expect((await sent).text).toBe('Done.');
    await level(session, f.host);
    expect(endsOf(session)).toEqual(['a cancelled', 'b completed']);
    expect(seen.differing).toEqual([]);
  });

  it('agents C28: the questions of two agents are answered elsewhere, each for its own child turn', async () => {
    const answers = { a: [card('A', 'ask'), say('A.')], b: [card('B', 'ask'), say('B.')] };
    await using f = await stage(way, [delegate('a', 'b'), say('Done.')], answers);
    const one = f.join().session;
    const { session: two, seen } = f.join();
    await open(one);
    await open(two);
    const sent = one.send('Go');
    await vi.waitFor(() => expect(two.pendingConfirmations.value).toHaveLength(2), patience);
    const asking = (agent: string) =>
      two.pendingConfirmations.value.find((question) => question.agent?.id === agent)!;
    const child = liveChildren(two).find(({ agent }) => agent === 'b')!.id;
    expect(asking('b').agent).toEqual({ id: 'b', child, path: [child] });
    expect(await asking('b').deny('Not B.')).toBe('accepted');
    expect(await asking('a').approve({ arguments: { title: 'Other' } })).toBe('accepted');
    expect((await sent).text).toBe('Done.');
    expect([...f.cards]).toEqual(['Other']);
    await level(two, f.host);
    expect(seen.differing).toEqual([]);
  });

  it('agents C18: `undo` and `redo` of one child turn from elsewhere move its effects alone', async () => {
    const answers = { a: [card('A'), say('A.')], b: [card('B'), say('B.')] };
    await using f = await stage(way, [delegate('a', 'b'), say('Done.')], answers);
    const { session, seen } = f.join();
    await open(session);
    await session.send('Go');
    await level(session, f.host);
    const { turnId, groups = [] } = session.undoEntries.value[0]!;
    const { child } = groups.find(({ agent }) => agent === 'a')!;
    await session.undo({ turnId, child });
    expect([...f.cards]).toEqual(['B']);
    await level(session, f.host);
    expect(session.undoEntries.value[0]!.groups!.map(({ state }) => state)).toEqual(['undone', 'done']);
    await session.redo({ turnId, child });
    expect([...f.cards]).toEqual(['B', 'A']);
    await expect(session.undo({ turnId, child: 'none' })).rejects.toMatchObject({ code: 'invalid-input' });
    await level(session, f.host);
    expect(seen.differing).toEqual([]);
  });

  it('agents C3: shows a child turn in the middle of which it joins, and has the state of its host from then on', async () => {
    const rest = gate();
    const answers = { a: [card('A'), say(['Be', 'gin', rest, ' and', ' end'])] };
    await using f = await stage(way, [delegate('a'), say('Done.')], answers);
    const sent = f.host.send('Go');
    await showing(f.host, 'a', 'Begin');
    const { session, seen } = f.join();
    await open(session);
    await level(session, f.host);
    expect(liveChildren(session)).toMatchObject([{ agent: 'a', status: 'running', phase: 'streaming' }]);
    rest.open();
    await sent;
    await level(session, f.host);
    expect(seen.differing).toEqual([]);
    expect(seen.compared).toBeGreaterThan(3);
    expect(JSON.stringify(childrenOf(session.turns.value[0]!))).toContain('Begin and end');
  });
});

describe('a session elsewhere whose connection breaks in the middle of a child turn', () => {
  it('agents C3: reads on where it was, and its `cancel({ child })` of the time without a connection arrives', async () => {
    const rest = gate();
    const answers = { a: [card('A'), stall('Look')], b: [say(['Be', 'gin', rest, ' and', ' end'])] };
    await using f = await stage('HTTP', [delegate('a', 'b'), say('Done.')], answers);
    const { session, seen } = f.join();
    await open(session);
    const sent = session.send('Go');
    const child = await showing(session, 'a', 'Look');
    await showing(session, 'b', 'Begin');
    f.line.breakConnections!();
    await vi.waitFor(() => expect(session.connection.value).toBe('offline'), { ...patience, interval: 1 });
    const cancelled = session.cancel({ child });
    rest.open();
    expect(await cancelled).toMatchObject({ cancelled: true });
    expect((await sent).text).toBe('Done.');
    await level(session, f.host);
    expect(seen.differing).toEqual([]);
    expect(endsOf(session)).toEqual(['a cancelled', 'b completed']);
    expect(JSON.stringify(childrenOf(session.turns.value[0]!))).toContain('Begin and end');
    expect(f.cards.size).toBe(0);
  });
});

describe('a session elsewhere whose host loses its log in the middle of a child turn', () => {
  it.each(['leaves', 'loses'] as const)(
    'agents C50: goes on with the child turn at the next host, if the host %s the log',
    async (way) => {
      await preloadTurns({ agents: [agentOf('a', [])] });
      const clock = createVirtualClock(1_000_000);
      const inner: SessionLog = { ...memoryLog({ clock }), snapshot: async () => {} };
      const id = 'chat-1';
      const { cards, domain } = board();
      const write = async (
        answers: readonly AnswerSource[],
        working: readonly AnswerSource[],
        log = inner,
      ) => {
        const agent = agentOf('a', working);
        const session = createAgentSession({
          provider: scriptedProvider(answers),
          domains: [domain],
          agents: [agent],
          limits: { maxToolCalls: 60, timeoutMs: 300_000 },
          id,
          log,
          ports: { clock, scheduler: immediate(), validator: noValidator, reportError: () => {} },
        });
        await clock.advance(100);
        return { session, agent };
      };
      const asleep = { ...inner, renew: () => Promise.reject(new Error('Asleep.')) };
      const first = await write(
        [delegate('a')],
        [card('A'), stall('Look')],
        way === 'loses' ? asleep : inner,
      );
      const { session } = remote(broadcast(inner, id), clock);
      await settle();
      const sent = session.send('Go');
      await clock.advance(100);
      const [child] = liveChildren(session);
      expect(child).toMatchObject({ status: 'running', phase: 'streaming' });
      const second = await write([say('Done.')], [say('Looked.')]);
      if (way === 'leaves') void first.session.dispose({ turn: 'leave' });
      await clock.advance(10_000);
      expect(second.session.link.value.role).toBe('writer');
      expect(session.state.interrupted).toMatchObject({ at: 'batch', unknown: [] });
      expect(liveChildren(session).map(({ id: same, status }) => [same, status])).toEqual([
        [child!.id, 'running'],
      ]);
      // A page that is asleep cannot know that it is no owner any more, and would refuse the command.
      const resumed = (way === 'leaves' ? session : second.session).resume();
      await clock.advance(100);
      await resumed;
      expect((await sent).text).toBe('Done.');
      expect(endsOf(session)).toEqual(['a completed']);
      expect(session.state).toEqual(second.session.state);
      // The child turn of the first host asks nothing more.
      await clock.advance(10_000);
      const asked = [first, second].map(
        ({ agent }) => (agent.provider as ReturnType<typeof scriptedProvider>).requests.length,
      );
      expect(asked).toEqual([2, 1]);
      const { records } = await inner.load(id);
      expect(checkOrder(records.flatMap(({ operations }) => operations))).toEqual([]);
      for (const one of [session, second.session, first.session]) await one.dispose();
      await clock.advance(10_000);
      expect([[...cards], clock.pending]).toEqual([['A'], 0]);
    },
  );
});
