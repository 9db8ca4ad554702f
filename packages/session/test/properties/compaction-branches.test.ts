// The marks of clears and compactions on the branches of a session, through its public API.
import {
  compaction,
  createAgentSession,
  immediate,
  isAgentSessionError,
  type LocalAgentSession,
  type Message,
  type Operation,
  type SavedConversation,
  type SessionState,
} from '@banister/session';
import {
  callTools,
  checkOrder,
  fail,
  say,
  type ScriptedAnswer,
  scriptedProvider,
  spyTool,
} from '@banister/testing';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { compactedMessages, type AppliedCompaction } from '../../src/compaction/compacted-messages.js';
import { noAnswer, notGoOn } from '../../src/conversation/model-words.js';
import { isUnanswered } from '../../src/conversation/noted-turns.js';
import { compactionLoaded } from '../compaction-loaded.js';
import { neededOf as neededIn } from './random-conversation.js';

beforeAll(compactionLoaded);

const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 1_500 }));

/** The script of a turn: results of its calls, refusals of the model as too long, and its end. */
const turn = fc.record({
  size,
  calls: fc.array(fc.array(size, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
  /** The request that the model refuses; none where there is no such one. */
  refused: fc.integer({ min: 0, max: 9 }),
  /** The size of the final answer; null where the turn fails. */
  answer: fc.option(size, { freq: 5 }),
  cancels: fc.integer({ min: 0, max: 9 }).map((one) => one === 9),
});

const action = fc.record({
  kind: fc.constantFrom(
    'send',
    'send',
    'send',
    'compact',
    'compact',
    'uncompact',
    'edit',
    'regenerate',
    'switch',
    'clear',
    'reopen',
  ),
  which: fc.nat(99),
  turn,
  summary: fc.constantFrom('S'.repeat(40), 'S'.repeat(40), 'S'.repeat(8_000), null),
});
type RandomAction = typeof action extends fc.Arbitrary<infer One> ? One : never;

const life = fc.record({
  /** Absent where only commands compact. */
  option: fc.option(
    fc.record({
      at: fc.double({ min: 0.5, max: 1, noNaN: true }),
      share: fc.double({ min: 0.05, max: 0.95, noNaN: true }),
    }),
    { freq: 4 },
  ),
  window: fc.constantFrom(600, 2_000, 6_000),
  summary: fc.boolean(),
  actions: fc.array(action, { minLength: 3, maxLength: 14 }),
});
type Life = typeof life extends fc.Arbitrary<infer One> ? One : never;

/** The tree as a schedule knows it: each turn and each mark with the one before it. */
class Tree {
  head: string | null = null;
  private readonly before = new Map<string, string | null>();
  private readonly inside = new Map<string, string[]>();
  private readonly marks = new Map<string, AppliedCompaction>();
  private readonly takenBack = new Set<string>();
  private readonly clears = new Set<string>();

  /** @param behind the turn or the mark behind which the next turn starts; undefined: behind the head */
  take(operation: Operation, behind: string | null | undefined): void {
    if (operation.type === 'turnStarted')
      this.add(operation.turnId, behind === undefined ? this.head : behind);
    if (operation.type === 'pathCleared') {
      this.clears.add(operation.id);
      this.add(operation.id, null);
    }
    if (operation.type === 'contextUncompacted') this.takenBack.add(operation.id);
    if (operation.type !== 'contextCompacted') return;
    const { id } = operation;
    const isKnown = this.marks.has(id);
    this.marks.set(id, operation);
    if (isKnown) return;
    const turnId = 'turnId' in operation ? (operation.turnId as string) : null;
    if (turnId === null) this.add(id, this.head);
    else this.inside.set(turnId, [...(this.inside.get(turnId) ?? []), id]);
  }

  parentOf(id: string): string | null {
    return this.before.get(id) ?? null;
  }

  /** The marks on the path to the head that were not taken back, oldest first. */
  get active(): readonly AppliedCompaction[] {
    const ids: string[] = [];
    for (let at = this.head; at !== null && !this.clears.has(at); at = this.parentOf(at)) {
      const own = this.marks.has(at) ? [at] : (this.inside.get(at) ?? []);
      ids.unshift(...own);
    }
    return ids.filter((id) => !this.takenBack.has(id)).map((id) => this.marks.get(id)!);
  }

  private add(id: string, before: string | null): void {
    this.before.set(id, before);
    this.head = id;
  }
}

const words = (count: number) => 'word'.repeat(count);
/** The text of a user, each third one in the form of a note of the library. */
const typed = ({ which, turn: { size: count } }: RandomAction) =>
  which % 3 === 0 ? `<note>\n${words(count)}\n</note>` : words(count);

/** Plays a life, and checks each request and each mark. Returns what happened, so that a property of nothing is noticed. */
async function play({ option, window, summary, actions }: Life): Promise<ReadonlySet<string>> {
  const happened = new Set<string>();
  const reported: unknown[] = [];
  const tree = new Tree();
  let script: ScriptedAnswer[] = [];
  let results: number[] = [];
  let written: string | null = null;
  let cancels = false;
  let behind: string | null | undefined;
  const to = option === null ? 0.5 : option.at * option.share;
  const provider = scriptedProvider([], {
    contextWindow: window,
    otherwise: ({ idempotencyKey }) => {
      if (!idempotencyKey?.endsWith('-summary')) return script.shift() ?? fail('auth');
      return written === null ? fail('auth') : say(written);
    },
  });
  const read = spyTool('read', { capabilities: ['readOnly'], execute: () => words(results.shift() ?? 1) });
  const create = (conversation?: SavedConversation) => {
    const session = createAgentSession({
      provider,
      domains: [{ id: 'docs', tools: [read] }],
      limits: { maxToolCalls: 50 },
      ...(option === null ? {} : { compaction: compaction({ at: option.at, to, summary }) }),
      ...(conversation === undefined ? {} : { conversation }),
      // Also the complaints of the subscriber below.
      ports: { scheduler: immediate(), reportError: (error) => reported.push(error) },
    });
    const operations: Operation[] = [];
    session.operations$.subscribe((operation) => {
      operations.push(operation);
      tree.take(operation, behind);
      if (operation.type === 'modelCallStarted') checkRequest(session, operation, tree);
      if (operation.type !== 'contextCompacted') return;
      happened.add('turnId' in operation ? 'in a turn' : 'between turns');
      happened.add(operation.summary === undefined ? 'steps' : 'summary');
      if (operation.summarizing && cancels) void session.cancel();
      const isInTurn = 'turnId' in operation;
      checkSize(session, operation, to * (isInTurn ? window : Math.min(window, operation.tokens.before)));
    });
    return { session, operations };
  };
  let stage = create();
  const end = async () => {
    if (reported.length > 0) throw reported[0] as Error;
    expect(checkOrder(stage.operations)).toEqual([]);
    await stage.session.dispose();
  };
  const ignore = (error: unknown) => {
    if (!isAgentSessionError(error)) throw error;
  };
  for (const one of actions) {
    const { session } = stage;
    const ids = [
      ...new Set([...Object.keys(session.branches.value), ...session.turns.value.map(({ id }) => id)]),
    ];
    const id = ids[one.which % Math.max(1, ids.length)];
    ({ script, results } = scriptOf(one));
    written = one.summary;
    ({ cancels } = one.turn);
    behind = undefined;
    const { conversation, turns } = session.state;
    const unchanged = () => {
      expect(session.state.conversation).toEqual(conversation);
      expect(session.state.turns).toBe(turns);
    };
    if (one.kind === 'send') await session.send(typed(one)).catch(ignore);
    if (one.kind === 'compact') await session.compact().catch(ignore).then(unchanged);
    if (one.kind === 'uncompact') {
      const marks = session.compactions.value;
      const mark = marks[one.which % Math.max(1, marks.length)];
      if (mark !== undefined) {
        happened.add('taken back');
        await session.uncompact(mark.id);
        expect(session.state.conversation).toEqual(conversation);
      }
    }
    if (one.kind === 'clear') await session.clear();
    if (id !== undefined && (one.kind === 'edit' || one.kind === 'regenerate')) {
      happened.add('branch');
      behind = tree.parentOf(id);
      if (one.kind === 'edit') await session.edit(id, typed(one)).catch(ignore);
      else await session.regenerate({ turnId: id }).catch(ignore);
    }
    if (id !== undefined && one.kind === 'switch') await session.switchTo(id).catch(ignore);
    if (one.kind === 'switch') tree.head = session.headTurnId.value;
    if (one.kind === 'reopen') {
      await end();
      stage = create(JSON.parse(JSON.stringify(session.save())) as SavedConversation);
    }
    expect(stage.session.compactions.value.map((mark) => mark.id)).toEqual(
      tree.active.map((mark) => mark.id),
    );
    if (tree.active.length > 1) happened.add('several marks');
  }
  await end();
  expect(provider.faults).toEqual([]);
  return happened;
}

function scriptOf({ turn: one }: RandomAction): {
  readonly script: ScriptedAnswer[];
  readonly results: number[];
} {
  const script = [
    ...one.calls.map((sizes, round) =>
      callTools(...sizes.map((_size, index) => ({ tool: 'docs.read', args: { round, index } }))),
    ),
    one.answer === null ? fail('auth') : say(words(one.answer)),
  ];
  if (one.refused < script.length) script.splice(one.refused, 0, fail('context-length'));
  return { script, results: one.calls.flat() };
}

/**
 * A request is made of the conversation and the marks of its path: without any it is the conversation, part for part. Beside that it tells of each
 * turn without an answer once; the tools have no effects, of which it would tell more.
 */
function checkRequest(
  { state }: LocalAgentSession,
  { request }: Extract<Operation, { type: 'modelCallStarted' }>,
  { active }: Tree,
): void {
  const { messages } = state.conversation;
  const { sent, told } = withoutNotes(request!.messages);
  expect(told).toBe(state.turns.filter(isUnanswered).length);
  expect(JSON.stringify(sent)).toBe(JSON.stringify(compactedMessages(messages, active)));
  if (active.length === 0) expect(JSON.stringify(sent)).toBe(JSON.stringify(messages));
  for (const message of neededOf(state)) expect(JSON.stringify(sent)).toContain(JSON.stringify(message));
}

/** Takes the notes about turns without an answer out of messages, with the words in place of one, and counts the turns. */
function withoutNotes(messages: readonly Message[]): {
  readonly sent: readonly Message[];
  readonly told: number;
} {
  let told = 0;
  const isOwn = (part: Message['parts'][number]) => {
    const [head, ...lines] = part.type === 'text' ? part.text.split('\n') : [];
    if (head !== '<note>' || lines.pop() !== '</note>') return true;
    if (!lines.every((line) => line.endsWith(notGoOn))) return true;
    told += lines.length;
    return false;
  };
  const isStandIn = ({ parts: [part] }: Message) => part?.type === 'text' && part.text === noAnswer;
  const sent = messages.filter((message) => !isStandIn(message));
  return { sent: sent.map((message) => ({ ...message, parts: message.parts.filter(isOwn) })), told };
}

/** These turns are neither continued nor steered: each message of the user is the input of a turn. */
function neededOf({ conversation: { messages }, turns, liveTurn }: SessionState): readonly Message[] {
  const writtenId = (liveTurn ?? turns.at(-1)!).input.id;
  return neededIn({ messages, inputId: liveTurn?.input.id ?? null, writtenId });
}

/** The next request is as small as wanted, or it has only what each request has to have. */
function checkSize(
  { state }: LocalAgentSession,
  { tokens }: Extract<Operation, { type: 'contextCompacted' }>,
  wanted: number,
): void {
  if (tokens.after <= wanted + 1) return;
  const { conversation, compactions } = state;
  const left = compactedMessages(conversation.messages, compactions).filter(({ kind }) => kind === undefined);
  expect(left).toEqual(neededOf(state));
}

test(
  'each request is the conversation compacted by the marks of its path, on every branch and after a reload; without marks it equals the conversation',
  { timeout: 300_000 },
  async () => {
    const happened = new Set<string>();
    await fc.assert(
      fc.asyncProperty(life, async (one) => {
        for (const each of await play(one)) happened.add(each);
      }),
      propertyRun('compaction on branches', 1_000),
    );
    expect([...happened].sort()).toEqual([
      'between turns',
      'branch',
      'in a turn',
      'several marks',
      'steps',
      'summary',
      'taken back',
    ]);
  },
);
