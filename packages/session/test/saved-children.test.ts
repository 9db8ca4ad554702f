// Child turns in logs, snapshots, saved conversations, imports and exports.
import { callTools, say } from '@banister/testing';
import {
  createAgentSession,
  SAVED_VERSION,
  type SavedConversation,
  type SessionState,
} from '@banister/session';
import { importedConversation, toMarkdown } from '@banister/session/export';
import { readLog, savedState } from '@banister/session/log';
import { initialState } from '@banister/session/operations';
import { importedState } from '../src/session/imported-state.js';
import { recordVersion } from '../src/log/log-journal.js';
import { savedConversationOf } from '../src/state/saved-conversation-of.js';
import { scriptedProvider } from '@banister/testing';
import { describe, expect, it } from 'vitest';
import { addCard, createBoard } from './board.js';
import { calledWith, childTurn, said, withChildren, type ChildTurn } from './children.js';
import { fixture } from './fixture.js';

const copyOf = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;
const inner = childTurn('inner', [said('Deep.')], { thread: 'main', title: 'Checks', shortened: true });
const outer = childTurn('outer', [{ parts: [calledWith('c', { children: [inner] })] }, said('Done.')], {
  usage: { inputTokens: 2 },
  options: { directives: ['Be brief'], commit: 'review' },
});
const running: Partial<ChildTurn> = { status: 'running', outcome: null, phase: 'streaming' };

/** The state after a turn with a call that ran these child turns. */
async function endedWith(...children: readonly ChildTurn[]): Promise<SessionState> {
  await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [createBoard().domain()] });
  await f.session.send('Go');
  const { state } = f.session;
  return { ...state, turns: state.turns.map((turn) => withChildren(turn, children)) };
}

/** The state of a session that was left while a call ran these child turns. */
async function leftWith(...children: readonly ChildTurn[]): Promise<SessionState> {
  const state = await endedWith();
  const [turn] = state.turns;
  const rounds = [{ parts: [calledWith('d', { state: 'executing', children })] }];
  const open = { ...turn!, id: 'open', parentId: turn!.id, rounds, messageIds: [], effects: [] };
  const input = { ...turn!.input, id: 'm-open' };
  const { result: _result, ...call } = rounds[0]!.parts[0]!;
  const live = { ...open, input, rounds: [{ parts: [call] }], status: 'running', outcome: null } as const;
  return { ...state, liveTurn: live, headTurnId: 'open' };
}

const childrenIn = (turn: { readonly rounds: SessionState['turns'][number]['rounds'] } | null | undefined) =>
  turn?.rounds.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-call' ? (part.children ?? []) : [])),
  );

describe('agents C56: child turns are stored', () => {
  it('agents C56 a record with a fact of a child turn has the next version, any other record the version before', () => {
    const text = { type: 'text', delta: 'x', sequence: 1, at: 0, turnId: 't' } as const;
    expect(recordVersion([])).toBe(1);
    expect(recordVersion([text])).toBe(1);
    const leaf = { type: 'subagent', path: ['a'], inner: { type: 'text', delta: 'x' } } as const;
    expect(recordVersion([text, { ...leaf, sequence: 2, at: 0, turnId: 't' }])).toBe(2);
  });

  it('agents C56 save and a snapshot with child turns have the next version, and are read as they were', async () => {
    const state = await endedWith(outer);
    expect(savedConversationOf(await endedWith()).version).toBe(SAVED_VERSION);
    const saved = copyOf(savedConversationOf(state));
    expect(saved.version).toBe(SAVED_VERSION + 1);
    await using session = createAgentSession({ provider: scriptedProvider([]), conversation: saved });
    expect(session.turns.value).toEqual(state.turns);
    const snapshot = copyOf(savedState(state));
    expect(snapshot.version).toBe(SAVED_VERSION + 1);
    const read = readLog({ snapshot, records: [] });
    expect(read.problem).toBeNull();
    expect(read.state.turns).toEqual(state.turns);
  });

  it('agents C56 save ends running child turns with their turn, at every depth', async () => {
    const child = childTurn(
      'x',
      [
        {
          parts: [calledWith('e', { state: 'executing', children: [{ ...inner, ...running, id: 'other' }] })],
        },
      ],
      running,
    );
    const saved = copyOf(savedConversationOf(await leftWith(child, outer)));
    await using session = createAgentSession({ provider: scriptedProvider([]), conversation: saved });
    const [x, whole] = childrenIn(session.turns.value.at(-1))!;
    const ended = {
      status: 'failed',
      phase: 'idle',
      outcome: { status: 'failed', error: { code: 'interrupted' } },
    };
    expect(x).toMatchObject(ended);
    expect(childrenIn(x)).toMatchObject([{ id: 'other', ...ended }]);
    expect(whole).toEqual(outer);
  });

  type Change = Partial<Record<keyof ChildTurn, unknown>>;

  it.each<readonly [string, Change, string]>([
    ['no agent', { agent: undefined }, 'agent: it is no text'],
    ['an agent without an id', { agent: '' }, 'agent: it is empty'],
    ['no key', { key: 3 }, 'key: it is no text'],
    ['an unknown phase', { phase: 'sleeping' }, 'phase: '],
    ['a phase that does not fit', { phase: 'streaming' }, 'phase: it does not fit the status'],
    ['no outcome', { outcome: null }, 'outcome: it does not fit the status'],
    ['an unknown status', { status: 'lost' }, 'status: '],
    ['rounds that are no list', { rounds: {} }, 'rounds: it is no list'],
    ['a part of no type', { rounds: [{ parts: [{ type: 'x' }] }] }, 'rounds[0].parts[0].type: '],
    ['usage that is no object', { usage: 3 }, 'usage: it is no object'],
    ['a budget without a line', { budget: {} }, 'budget.rounds: it is no object'],
    [
      'a budget of texts',
      { budget: { ...inner.budget, cost: { spent: '1', left: null } } },
      'budget.cost.spent: it is no number',
    ],
    ['a wrong mark', { shortened: 'yes' }, 'shortened: it is neither true nor false'],
    ['effects without a tool', { effects: [{}] }, 'effects[0].'],
    ['no list of messages', { messageIds: 'm' }, 'messageIds: it is no list'],
    ['a run that goes on', running, 'child turn inner is running, but its call has ended'],
    ['the id of another child turn', { id: 'outer' }, 'the child turn outer stands in it a second time'],
    [
      'the id of another call',
      { rounds: [{ parts: [calledWith('c')] }] },
      'the call c stands in it a second time',
    ],
  ])('agents C56 a saved child turn with %s is refused, with its place', async (_name, change, message) => {
    const above = childTurn('outer', [{ parts: [calledWith('c', { children: [inner] })] }]);
    const damaged = copyOf(savedConversationOf(await endedWith(above)));
    const [child] = childrenIn(childrenIn(damaged.turns[0]!.record)![0])!;
    Object.assign(child!, change);
    const refused = { code: 'invalid-configuration', message: expect.stringContaining(message) as string };
    const open = () => createAgentSession({ provider: scriptedProvider([]), conversation: damaged });
    expect(open).toThrow(expect.objectContaining(refused));
    expect(open).toThrow(/turns\[0\]\.record\.rounds/);
  });

  it('agents C56 an empty list of child turns, and a child turn that runs in an ended turn, are refused', async () => {
    const open = (saved: SavedConversation) => () =>
      createAgentSession({ provider: scriptedProvider([]), conversation: copyOf(saved) });
    expect(open(savedConversationOf(await endedWith()))).not.toThrow();
    const state = await leftWith({ ...inner, ...running });
    const left = { ...state.turns[0]!, rounds: state.liveTurn!.rounds };
    expect(open({ ...savedConversationOf(state), turns: [{ record: left, messages: [] }] } as never)).toThrow(
      'child turn inner is running, but its call has ended',
    );
    const none = savedConversationOf(
      await endedWith({ ...outer, rounds: [{ parts: [calledWith('z', { children: [] })] }] }),
    );
    expect(open(none)).toThrow('children: it is empty');
  });
});

describe('agents C56: an import of child turns', () => {
  const hosted = calledWith('h', { hosted: true, providerCallId: 'mcpr_1' });

  it('agents C56 audit-X1 approvals and options of child turns are left out at every depth', async () => {
    const asked = {
      type: 'tool-call',
      id: 'h',
      tool: 'board.add',
      argumentsText: '{"title":"A"}',
      arguments: { title: 'A' },
      hosted: true,
      providerCallId: 'mcpr_1',
    } as const;
    const deep = childTurn('inner', [{ parts: [hosted] }], {
      options: { directives: ['x'] },
      thread: 'main',
      messages: [{ id: 'm-inner', role: 'assistant', parts: [asked] }],
    });
    const child = { ...outer, rounds: [{ parts: [calledWith('c', { children: [deep] })] }] };
    const saved = copyOf(savedConversationOf(await endedWith(child)));
    expect(JSON.stringify(saved)).toContain('mcpr_1');
    const imported = importedConversation(saved);
    expect(imported.version).toBe(SAVED_VERSION + 1);
    const [one] = childrenIn(imported.turns[0]!.record)!;
    expect(one!.options).toEqual({ commit: 'review' });
    expect(childrenIn(one)![0]).not.toHaveProperty('options');
    expect(JSON.stringify(imported)).not.toMatch(/mcpr_1|directives/);
  });

  it('agents C56 audit-X2 an imported child turn that was open has ended, and its call is answered as interrupted', async () => {
    const state = await leftWith({ ...outer, ...running }, inner);
    const { liveTurn, pendingConfirmations } = importedState(state);
    const [call] = liveTurn!.rounds[0]!.parts;
    expect(call).toMatchObject({
      children: [
        { id: 'outer', status: 'failed', phase: 'idle' },
        { id: 'inner', status: 'completed' },
      ],
    });
    expect(JSON.stringify(liveTurn)).not.toMatch(/directives|"status":"running","outcome":null,"phase"/);
    expect(pendingConfirmations).toEqual([]);
    expect(importedState(initialState()).liveTurn).toBeNull();
  });
});

describe('agents C56: an export of child turns', () => {
  it('agents C56 toMarkdown shows child turns only with the option children, in their call', async () => {
    const stopped = childTurn('s', [], {
      agent: 'ops',
      status: 'stopped',
      outcome: {
        status: 'stopped',
        usage: null,
        rounds: 0,
        stop: { kind: 'limit', message: 'Its *limit*.' },
      },
    });
    const state = await endedWith(outer, stopped);
    expect(toMarkdown(state)).toBe(toMarkdown(await endedWith()));
    const shown = toMarkdown(state, { children: true });
    expect(shown.slice(shown.indexOf('  - Agent'), shown.indexOf('\n  - Result: '))).toMatchInlineSnapshot(`
      "  - Agent \`notes\`:

          Task:

          > Task of outer

          Assistant:

          - Tool \`board.add\`: success
            - Arguments: \`{"title":"A"}\`
            - Agent \`notes\` (Checks), shortened:

              Task:

              > Task of inner

              Assistant:

              > Deep.
            - Result: \`Result of c\`

          > Done.
        - Agent \`ops\`:

          Task:

          > Task of s

          The turn stopped: Its \\*limit\\*."
    `);
    expect(toMarkdown(savedConversationOf(state), { children: true })).toBe(shown);
  });
});
