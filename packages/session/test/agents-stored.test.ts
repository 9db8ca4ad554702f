// Child turns that ran, in logs, snapshots, saved conversations and imports.
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, checkOrder, say, scriptedProvider, type AnswerSource } from '@banister/testing';
import {
  createAgentSession,
  defineAgent,
  defineTool,
  type Agent,
  type Domain,
  type Operation,
  type SessionState,
} from '@banister/session';
import { readLog, savedState } from '@banister/session/log';
import { childrenOf, fold, initialState, toStored } from '@banister/session/operations';
import { importedState } from '../src/session/imported-state.js';
import { recordVersion } from '../src/log/log-journal.js';
import { foldStateOf } from '../src/state/session-state.js';
import { agentsLoaded } from './agents-loaded.js';
import { fixture, type FixtureOptions } from './fixture.js';

beforeAll(agentsLoaded);

/** A board with a tool that adds a card and answers with a long text, and a tool that runs agents. */
function board() {
  const cards: string[] = [];
  const add = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    undo: {
      revert: ({ title }: { readonly title: string }) => void cards.splice(cards.indexOf(title), 1),
      reapply: ({ title }: { readonly title: string }) => void cards.push(title),
    },
    async execute({ title }, { undo }) {
      await undo({ description: `Added "${title}"`, paths: [`cards/${title}`], data: { title } });
      cards.push(title);
      return 'r'.repeat(2_000);
    },
  });
  const work = defineTool({
    name: 'work',
    description: 'Lets agents work.',
    parameters: {
      type: 'object',
      properties: { agents: { type: 'array', items: { type: 'string' } }, thread: { type: 'string' } },
    },
    capabilities: ['readOnly'],
    async execute({ agents = [], thread }, { run }) {
      const ended = await Promise.all(
        (agents as string[]).map((agent) =>
          run(agent, `Work, ${agent}.`, thread === undefined ? {} : { thread: thread as string }),
        ),
      );
      return ended.map(({ text }) => text).join('\n');
    },
  });
  const domains: readonly Domain[] = [{ id: 'board', tools: [add, work] }];
  return { cards, domains };
}

const agent = (id: string, answers: readonly AnswerSource[]): Agent =>
  defineAgent({ id, role: `You are ${id}.`, tools: ['board.add'], provider: scriptedProvider(answers) });
const addCard = (title: string) => callTools({ tool: 'board.add', args: { title } });
const delegate = (args: { readonly agents: readonly string[]; readonly thread?: string }) =>
  callTools({ tool: 'board.work', args: args as never });
const copyOf = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
/** The fields that a log tells: all but the notes of the session that made them. */
const shown = ({ turns, conversation, undoEntries, totals, budget, lastOutcome }: SessionState) =>
  copyOf({ turns, conversation, undoEntries, totals, budget, lastOutcome });

/** A session with the agents `a` and `b`, after a turn in which both have added a card. */
async function ran(options: FixtureOptions = {}, thread?: string) {
  const { cards, domains } = board();
  const words = Array.from({ length: 200 }, (_, index) => `word ${index} `);
  const agents = [agent('a', [addCard('A'), say(words)]), agent('b', [addCard('B'), say(words)])];
  const f = fixture([delegate({ agents: ['a', 'b'], ...(thread ? { thread } : {}) }), say('Done.')], {
    domains,
    agents,
    ...options,
  });
  const operations: Operation[] = [];
  f.session.operations$.subscribe((operation) => operations.push(operation));
  await f.session.send('Go');
  return { f, cards, domains, agents, operations };
}

describe('agents C57: child turns that ran are shortened by the fold', () => {
  it('agents C57 the record stays whole while the turn runs, and is shortened when it has ended', async () => {
    const { f, operations } = await ran({ limits: { maxChildRecord: 1_500 } });
    await using _ = f;
    const before = fold(initialState(), operations.slice(0, -1)).liveTurn!;
    expect(childrenOf(before).map(({ shortened }) => shortened)).toEqual([undefined, undefined]);
    const [turn] = f.session.state.turns;
    const [a] = childrenOf(turn!);
    expect(a).toMatchObject({ agent: 'a', shortened: true, status: 'completed' });
    expect(JSON.stringify(childrenOf(turn!))).not.toContain('rrrr');
    expect(f.session.state.undoEntries).toMatchObject([{ undoable: true }]);
  });

  it.each([1_500, 16_384, Infinity])(
    'agents C57 every reader of a log folds alike, with a limit of %d bytes',
    async (maxChildRecord) => {
      const { f, operations } = await ran({ limits: { maxChildRecord } });
      await using _ = f;
      const stored = copyOf(toStored(operations));
      expect(checkOrder(stored)).toEqual([]);
      const live = shown(f.session.state);
      expect(shown(fold(initialState(), stored))).toEqual(live);
      const record = { version: recordVersion(stored), revision: operations.length, epoch: 0 };
      const { state, problem } = readLog({ records: [{ ...record, operations: stored }] } as never);
      expect([problem, shown(state)]).toEqual([null, live]);
    },
  );

  it('agents C57 a child turn with a thread keeps its messages', async () => {
    const { f } = await ran({ limits: { maxChildRecord: 1 } }, 'main');
    await using _ = f;
    const [a] = childrenOf(f.session.state.turns[0]!);
    expect(a).toMatchObject({ thread: 'main' });
    expect(a).not.toHaveProperty('shortened');
    expect(a!.messages!.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });
});

describe('agents C56: child turns that ran are stored', () => {
  it('agents C56 a saved conversation and a snapshot keep the messages of a thread and the child turn of an effect', async () => {
    const { f, cards, domains } = await ran({}, 'main');
    await using _ = f;
    const { turns } = f.session.state;
    const ids = childrenOf(turns[0]!).map(({ id }) => id);
    const saved = copyOf(f.session.save());
    expect(saved.turns[0]!.undo!.calls.map(({ child }) => child)).toEqual(ids);
    await using opened = createAgentSession({
      provider: scriptedProvider([]),
      conversation: saved,
      domains,
    });
    expect(opened.state.turns).toEqual(turns);
    await opened.undo();
    expect(cards).toEqual([]);
    const read = readLog({ snapshot: copyOf(savedState(f.session.state)), records: [] });
    expect([read.problem, read.state.turns]).toEqual([null, turns]);
  });

  it.each([
    [
      'an effect',
      (saved: Saved) => Object.assign(saved.turns[0].record.effects[0]!, { child: 3 }),
      'effects[0].child',
    ],
    [
      'undo data',
      (saved: Saved) => Object.assign(saved.turns[0].undo.calls[0]!, { child: '' }),
      'calls[0].child',
    ],
    [
      'a message of a thread',
      (saved: Saved) =>
        Object.assign(childrenOf(saved.turns[0].record as never)[0]!.messages![0]!, { role: 'x' }),
      'messages[0].role',
    ],
  ])(
    'agents C56 audit-X10 a damaged child turn is refused with its place: %s',
    async (_name, damage, place) => {
      const { f } = await ran({}, 'main');
      await using _ = f;
      const saved = copyOf(f.session.save());
      damage(saved as never);
      expect(() => createAgentSession({ provider: scriptedProvider([]), conversation: saved })).toThrow(
        place,
      );
    },
  );
});

interface Saved {
  readonly turns: readonly [
    {
      readonly record: { readonly effects: readonly object[] };
      readonly undo: { readonly calls: readonly object[] };
    },
  ];
}

describe('agents C56: an import of child turns that ran', () => {
  it('agents C56 audit-X1 audit-X2 a log that ends anywhere acts on nothing when it is imported', async () => {
    const { f, cards, operations } = await ran({}, 'main');
    await using _ = f;
    const had = [...cards];
    for (let end = 1; end <= operations.length; end++) {
      const state = importedState(fold(initialState(), operations.slice(0, end)));
      const children = state.liveTurn === null ? [] : childrenOf(state.liveTurn);
      expect([end, children.filter(({ status }) => status === 'running')]).toEqual([end, []]);
      expect([end, foldStateOf(state).fold.turn?.children ?? {}]).toEqual([end, {}]);
      expect(JSON.stringify(state)).not.toContain('"data":{"title"');
      const snapshot = copyOf(savedState(state));
      const read = readLog({ snapshot, records: [] });
      expect([end, read.problem]).toEqual([end, null]);
    }
    expect(cards).toEqual(had);
  });
});

describe('agents C58: the log of child turns that ran', () => {
  it('agents C58 a log with child turns is at most 1.3 times as long as the logs of the same turns by themselves', async () => {
    const { f, operations } = await ran();
    await using _ = f;
    const pieces = operations.flatMap((operation) =>
      operation.type === 'subagent' && operation.inner.type === 'text' ? [operation.path.at(-1)] : [],
    );
    const changes = pieces.filter((id, index) => id !== pieces[index - 1]);
    expect(changes.length).toBeGreaterThan(100);
    const own = operations.filter(({ type }) => type !== 'subagent');
    const alone = childrenOf(f.session.state.turns[0]!).map(({ id }) =>
      operations.flatMap((operation) =>
        operation.type === 'subagent' && operation.path.at(-1) === id
          ? [{ ...operation.inner, turnId: id, sequence: operation.sequence, at: operation.at } as Operation]
          : [],
      ),
    );
    const sum = [own, ...alone].reduce((size, log) => size + bytes(toStored(log)), 0);
    const ratio = bytes(toStored(operations)) / sum;
    expect(ratio).toBeLessThanOrEqual(1.3);
  });
});
