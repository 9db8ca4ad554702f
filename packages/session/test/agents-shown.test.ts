// What readers see of child turns: in the session, a mirror, a follower and a reload.
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, gate, say, scriptedProvider, settle, type ScriptedAnswer } from '@banister/testing';
import {
  confirmTools,
  createMirror,
  defineTool,
  effect,
  type Agent,
  type ChildTurn,
  type Domain,
  type Operation,
  type PublishScheduler,
  type SessionState,
} from '@banister/session';
import { childrenOf, fold, initialState, toStored } from '@banister/session/operations';
import { agentsLoaded } from './agents-loaded.js';
import { fixture } from './fixture.js';
import { logWorld } from './log-world.js';

beforeAll(agentsLoaded);

const board: Domain = {
  id: 'board',
  tools: [
    defineTool({
      name: 'add',
      description: 'Adds a card.',
      parameters: { type: 'object' },
      execute: (_args, { irreversible }) => {
        irreversible('Added');
        return 'added';
      },
    }),
    defineTool({
      name: 'work',
      description: 'Lets agents work.',
      parameters: { type: 'object' },
      capabilities: ['readOnly'],
      async execute({ agents }, { run }) {
        await Promise.all((agents as string[]).map((agent) => run(agent, 'Work.')));
        return 'worked';
      },
    }),
  ],
};

const agent = (id: string, ...answers: readonly ScriptedAnswer[]): Agent => ({
  id,
  role: 'You work.',
  tools: ['board.add'],
  provider: scriptedProvider(answers),
});

const work = (...agents: readonly string[]) =>
  callTools({ tool: 'board.work', args: { agents: [...agents] } });
const add = callTools('I add. ', { tool: 'board.add', args: {} });
const jsonCopy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const liveChildren = ({ liveTurn }: Pick<SessionState, 'liveTurn'>): readonly ChildTurn[] =>
  liveTurn === null ? [] : childrenOf(liveTurn);

const textOf = (child: ChildTurn | undefined): string =>
  (child?.rounds ?? [])
    .flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))
    .join('');

/** Two agents that stream side by side, piece by piece, with a call between. */
const streaming = (): readonly Agent[] => [
  agent('a', add, say(['A', 'l', 'pha'])),
  agent('b', say(['B', 'e', 'ta', ' and', ' on']), add),
];

describe('a session with two child turns side by side', () => {
  it('agents C3: a mirror, and the fold of the log, show the same after each operation', async () => {
    await using f = fixture([work('a', 'b'), say('Done.')], { domains: [board], agents: streaming() });
    const mirror = createMirror(jsonCopy(f.session.state));
    const log: Operation[] = [];
    let compared = 0;
    f.session.operations$.subscribe((operation) => {
      log.push(jsonCopy(operation));
      mirror.fold([jsonCopy(operation)]);
      // An operation is delivered after its fold, and never after the fold of a later one.
      expect(mirror.state).toEqual(f.session.state);
      expect(fold(initialState(), toStored(jsonCopy(log)))).toEqual(f.session.state);
      if (liveChildren(f.session.state).filter(({ status }) => status === 'running').length === 2) compared++;
    });
    await f.session.send('Go');
    expect(compared).toBeGreaterThan(10);
    expect(childrenOf(f.session.state.turns[0]!).map(textOf)).toEqual(['I add. Alpha', 'Beta and on']);
  });

  it('agents C3: a follower of the log, and a session that opens the log later, show the same', async () => {
    const world = logWorld();
    const options = { domains: [board], agents: streaming() };
    const writer = await world.open([work('a', 'b'), say('Done.')], options);
    const follower = await world.open([], options);
    await writer.session.send('Go');
    await settle();
    await world.clock.advance(1_100);
    const late = await world.open([], options);
    const { turns, conversation, budget } = writer.session.state;
    expect(childrenOf(turns[0]!)).toHaveLength(2);
    for (const { session } of [follower, late]) {
      expect(session.state.turns).toEqual(turns);
      expect(session.state.conversation).toEqual(conversation);
      expect(session.state.budget).toEqual(budget);
    }
    for (const { session } of [late, follower, writer]) await session.dispose();
  });
});

describe('a child turn that nothing changes', () => {
  it('agents C4: keeps its identity while another child turn streams', async () => {
    await using f = fixture([work('a', 'b'), say('Done.')], {
      domains: [board],
      agents: [agent('a', say('Alpha')), agent('b', say(['B', 'e', 'ta', ' and', ' on']))],
    });
    const seen: (readonly ChildTurn[])[] = [];
    f.session.operations$.subscribe(() => seen.push(liveChildren(f.session.state)));
    await f.session.send('Go');
    let kept = 0;
    for (const [index, [a, b]] of seen.entries()) {
      const [a0, b0] = seen[index - 1] ?? [];
      if (a === undefined || b === undefined || a0 === undefined || b0 === undefined || a === a0) continue;
      // One operation changes one of them.
      expect(b).toBe(b0);
      kept++;
    }
    expect(kept).toBeGreaterThan(3);
  });
});

describe('the signals of a session with child turns', () => {
  /** A scheduler whose frames the test ends. */
  function frames() {
    const waiting = new Set<() => void>();
    const scheduler: PublishScheduler = {
      schedule(publish) {
        waiting.add(publish);
        return () => waiting.delete(publish);
      },
    };
    const end = () => {
      for (const publish of [...waiting]) if (waiting.delete(publish)) publish();
    };
    return { scheduler, end };
  }

  it('agents C5: deltas of child turns are published at the end of a frame, and a question at once with all that waits', async () => {
    const { scheduler, end } = frames();
    const [more, hold, ask] = [gate(), gate(), gate()];
    await using f = fixture([work('a', 'b'), say('Done.')], {
      domains: [board],
      guards: [confirmTools('board.add')],
      ports: { scheduler },
      agents: [
        agent('a', say(['A', more, 'l', 'pha', hold])),
        agent('b', callTools(ask, { tool: 'board.add', args: {} }), say('B')),
      ],
    });
    const seen: string[] = [];
    const stop = effect(() => {
      const turn = f.session.liveTurn.value;
      seen.push(
        `${textOf(turn === null ? undefined : childrenOf(turn)[0])} ${f.session.pendingConfirmations.value.length}`,
      );
    });
    const turn = f.session.send('Go');
    await Promise.all([more.reached, ask.reached]);
    end();
    const before = seen.length;
    expect(seen.at(-1)).toBe('A 0');
    more.open();
    await hold.reached;
    expect(textOf(childrenOf(f.session.state.liveTurn!)[0])).toBe('Alpha');
    expect(seen.slice(before)).toEqual([]);
    ask.open();
    for (let i = 0; i < 3; i++) await settle();
    expect(seen.slice(before)).toEqual(['Alpha 1']);
    hold.open();
    await f.session.respond(f.session.state.pendingConfirmations[0]!.id, { approve: true });
    await turn;
    stop();
  });
});
