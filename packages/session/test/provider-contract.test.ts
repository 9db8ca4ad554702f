// The events of a provider are checked before any of them reaches the state.
import type { Provider, ProviderEvent } from '@banister/provider';
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, say, scriptedProvider, settle, spyTool, unsafe } from '@banister/testing';
import {
  AgentSessionError,
  createAgentSession,
  createMirror,
  defineGuard,
  type Operation,
} from '@banister/session';
import { initialState } from '@banister/session/operations';
import { StateStore } from '../src/state/state-store.js';
import { generateLoaded } from './generate-loaded.js';
import { atOperation, fixture, rejection, resultTexts } from './fixture.js';

const event = (fields: object): ProviderEvent => fields as ProviderEvent;
const usage = (report: object) => event({ type: 'usage', usage: report });
const opaque = (data: unknown) => event({ type: 'opaque', data });
const call = (index: unknown) => event({ type: 'tool-call', index, tool: 'board.work', delta: '{}' });

describe('C26: a provider that breaks its contract', () => {
  it.each([
    ['an index that is a key of lists', call('__proto__'), 'a call with the index __proto__'],
    ['an index that is a text', call('0'), 'a call with the index 0'],
    ['an index between two numbers', call(0.5), 'a call with the index 0.5'],
    ['an index below 0', call(-1), 'call -1 in place of call 0'],
    ['usage that is no object', event({ type: 'usage', usage: 3 }), 'usage that is no object'],
    ['tokens that are a text', usage({ inputTokens: '3' }), 'usage whose inputTokens is no number from 0 on'],
    [
      'tokens without end',
      usage({ outputTokens: Infinity }),
      'usage whose outputTokens is no number from 0 on',
    ],
    ['tokens below 0', usage({ totalTokens: -1 }), 'usage whose totalTokens is no number from 0 on'],
    [
      'a cost that is no number',
      usage({ cost: { amount: NaN, currency: 'USD' } }),
      'a cost without an amount from 0 on and its currency',
    ],
    [
      'a cost without a currency',
      usage({ cost: { amount: 1 } }),
      'a cost without an amount from 0 on and its currency',
    ],
    [
      'a reason of the server that is no text',
      event({ type: 'finish', reason: 'stop', raw: 1n }),
      '"finish" with a raw reason that is no text',
    ],
    [
      'details of the end that are no text',
      event({ type: 'finish', reason: 'refusal', detail: { why: 'policy' } }),
      '"finish" with a detail that is no text',
    ],
    [
      'a signature that is no text',
      event({ type: 'thinking', delta: 'Hm.', signature: 1n }),
      '"thinking" with a signature that is no text',
    ],
    [
      'an id that is no text',
      event({ type: 'tool-call', index: 0, id: 1n, tool: 'board.work', delta: '{}' }),
      'a call whose id is no text',
    ],
    [
      'opaque data that JSON cannot hold',
      opaque({ id: 1n }),
      'opaque data that is no JSON: its field id is a bigint',
    ],
  ])('C26: %s fails the turn', async (_name, wrong, what) => {
    await using f = fixture([unsafe(wrong, { type: 'finish', reason: 'stop' })]);
    expect(await rejection(f.session.send('Go'))).toMatchObject({
      code: 'provider-contract',
      message: `The model provider broke its contract: ${what}.`,
    });
    expect(Object.keys(Array.prototype)).toEqual([]);
    expect(f.session.lastUsageReport.value).toBeNull();
  });

  const finish = event({ type: 'finish', reason: 'stop' });
  const inner = (fields: object = {}) =>
    event({ type: 'inner-call', tool: 'board.work', argumentsText: '{}', answer: () => {}, ...fields });

  it.each([
    ['a text that is none', [event({ type: 'text', delta: 1 })], '"text" without a text'],
    ['thinking without a text', [event({ type: 'thinking', signature: 's' })], '"thinking" without a text'],
    [
      'a piece of a call without a text',
      [event({ type: 'tool-call', index: 0, tool: 'board.work' })],
      '"tool-call" without a text',
    ],
    [
      'a call without a name',
      [event({ type: 'tool-call', index: 0, delta: '{}' })],
      'call 0 without the name of its tool',
    ],
    ['a call that skips an index', [call(0), call(2)], 'call 2 in place of call 1'],
    ['text behind the end', [finish, event({ type: 'text', delta: 'x' })], '"text" after "finish"'],
    ['a second end', [finish, finish], '"finish" after "finish"'],
    ['a call inside behind the end', [finish, inner()], '"inner-call" after "finish"'],
    ['a call inside behind another call', [call(0), inner()], '"inner-call" after "tool-call"'],
    ['a call inside without a name', [inner({ tool: 1 })], 'an inner call without the name of its tool'],
    [
      'a call inside without arguments',
      [inner({ argumentsText: {} })],
      'an inner call without a text of arguments',
    ],
    ['an unknown event', [event({ type: 'noise' })], 'an event of unknown type "noise"'],
    ['an unknown end', [event({ type: 'finish', reason: 'bored' })], 'the unknown reason "bored"'],
  ])('%s breaks the contract at once', async (_name, events, what) => {
    const read: unknown[] = [];
    const provider: Provider = {
      id: 'wrong',
      model: 'wrong-1',
      capabilities: { images: false },
      async *stream() {
        for (const one of [...events, event({ type: 'usage', usage: { totalTokens: 1 } }), finish]) {
          read.push(one);
          yield one;
        }
      },
    };
    const work = spyTool('work');
    await using f = fixture([], { domains: [{ id: 'board', tools: [work] }], ...({ provider } as object) });
    expect(await rejection(f.session.send('Go'))).toMatchObject({
      code: 'provider-contract',
      message: `The model provider broke its contract: ${what}.`,
    });
    expect(read).toHaveLength(events.length);
    expect(work.runs).toEqual([]);
  });

  it('a count of 0 and a cost below 1 break no contract', async () => {
    const report = { inputTokens: 0, outputTokens: 0.5, cost: { amount: 0, currency: 'EUR' } };
    await using f = fixture([unsafe(usage(report), { type: 'finish', reason: 'stop' })]);
    await f.session.send('Go');
    expect(f.session.lastUsageReport.value).toEqual(report);
  });

  it('C26: opaque data is copied, so that a provider cannot change it later', async () => {
    const data = { id: 'a' };
    await using f = fixture([
      unsafe(opaque(data), { type: 'text', delta: 'x' }, { type: 'finish', reason: 'stop' }),
    ]);
    await f.session.send('Go');
    data.id = 'b';
    expect(f.session.turns.value[0]?.rounds[0]?.parts[0]).toMatchObject({
      type: 'opaque',
      data: { id: 'a' },
    });
  });
});

describe('a cost', () => {
  it('of a provider is kept with only its amount and currency', async () => {
    const cost = { amount: 1, currency: 'EUR', parse: () => 1 };
    await using f = fixture([unsafe(usage({ inputTokens: 1, cost }), { type: 'finish', reason: 'stop' })]);
    await f.session.send('Go');
    expect(f.session.lastUsageReport.value).toEqual({ inputTokens: 1, cost: { amount: 1, currency: 'EUR' } });
    expect(f.observed.operations.find(({ type }) => type === 'modelCallFinished')).toMatchObject({
      usage: { cost: { amount: 1, currency: 'EUR' } },
    });
    expect(Object.isFrozen(cost)).toBe(false);
  });

  it('of a guard is kept with only its amount and currency', async () => {
    const cost = { amount: 1, currency: 'EUR', parse: () => 1 };
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], {
      domains: [{ id: 'board', tools: [spyTool('work')] }],
      guards: [defineGuard('ask', () => ({ confirm: 'Sure?', cost }))],
    });
    const turn = f.session.send('Go');
    await settle();
    expect(f.session.pendingConfirmation.value?.cost).toEqual({ amount: 1, currency: 'EUR' });
    await f.session.pendingConfirmation.value?.approve();
    await turn;
  });
});

describe('C26: a cancel between two rounds', () => {
  it.each([
    ['messagesAppended', 1, 0],
    ['roundCompleted', 1, 1],
  ] as const)('C26: at %s starts no further round', async (type, nth, rounds) => {
    const work = spyTool('work');
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], {
      domains: [{ id: 'board', tools: [work] }],
      looseScript: true,
    });
    atOperation(f.session, type, () => void f.session.cancel(), nth);
    expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
    expect(f.observed.types.filter((one) => one === 'roundStarted')).toHaveLength(rounds);
    expect(f.session.lastOutcome.value?.rounds).toBe(rounds);
  });
});

describe('C26: an edit of the user that is refused', () => {
  it("C26: if the tool's schema library refuses an edit, the error names the edit as the user's", async () => {
    const work = spyTool('work');
    const guard = defineGuard('no-secrets', ({ arguments: { title } }) =>
      title === 'Secret' ? { deny: 'No secrets.' } : { confirm: 'Sure?' },
    );
    await using f = fixture([callTools({ tool: 'board.work', args: { title: 'Plan' } }), say('I see.')], {
      domains: [{ id: 'board', tools: [work] }],
      guards: [guard],
    });
    const turn = f.session.send('Go');
    await settle();
    void f.session.pendingConfirmation.value?.approve({ arguments: { title: 'Secret' } });
    await turn;
    expect(work.runs).toEqual([]);
    expect(resultTexts(f.provider.requests[1]!)).toEqual([
      'The user changed the arguments, and the call was refused with them: title from "Plan" to "Secret". board.work was denied: No secrets.',
    ]);
  });
});

it('T3: fields that an event of a provider leaves undefined are absent in operations, which are JSON', async () => {
  const none = undefined;
  const usage = { inputTokens: 5, outputTokens: none, totalTokens: none, cost: none };
  const provider = scriptedProvider([
    unsafe(
      { type: 'thinking', delta: 'Well', signature: none },
      { type: 'text', delta: 'Hi', refusal: none },
      { type: 'tool-call', index: 0, id: none, tool: 'board.none', delta: '{}' },
      { type: 'usage', usage },
      { type: 'finish', reason: 'stop', raw: none, detail: none },
    ),
    say('Done.'),
  ]);
  const session = createAgentSession({ provider });
  const operations: Operation[] = [];
  session.operations$.subscribe((operation) => operations.push(operation));
  await session.send('Hi');
  expect(operations).toStrictEqual(JSON.parse(JSON.stringify(operations)));
});

describe('an operation that cannot be folded', () => {
  beforeAll(generateLoaded);

  it.each([
    ['a text', { type: 'text' }, true],
    ['a text that is a number', { type: 'text', delta: 1 }, true],
    ['the call of the output', { type: 'tool-call', index: 0, tool: 'banister.output' }, false],
  ])(
    'audit-A1 %s without a delta fails a generate, and leaves no gap',
    async (_name, wrong, structuredOutput) => {
      const first = { ...wrong, delta: '{"n":' };
      await using f = fixture([unsafe(event(first), event(wrong)), say('Hello.')], {
        scripted: { structuredOutput },
      });
      const mirror = createMirror(f.session.state);
      f.session.operations$.subscribe((operation) => mirror.fold([operation]));
      const error = await rejection(f.session.generate('Go', { type: 'object', properties: {} }));
      expect(error.code).toBe('provider-contract');
      expect((await f.session.send('And now?')).text).toBe('Hello.');
      const sequences = f.observed.operations.map(({ sequence }) => sequence);
      expect(sequences).toEqual(sequences.map((_, index) => index + 1));
      expect(mirror.state).toEqual(f.session.state);
    },
  );

  it('audit-A1 a fact that cannot be folded gets no sequence number and fails its turn', () => {
    const store = new StateStore(initialState());
    const fact = { type: 'messagesAppended', sequence: 1, at: 1, messages: null } as unknown as Operation;
    expect(() => store.apply(fact)).toThrow();
    expect(store.sequence).toBe(0);
    expect(store.snapshot()).toEqual(initialState());
  });

  it('audit-A1 details of an error that JSON cannot hold are left out of state and log', async () => {
    const broken = new AgentSessionError('auth', 'No key.', { details: { key: 1n } as never });
    const provider = { ...scriptedProvider([]), stream: () => { throw broken; } }; // prettier-ignore
    await using f = fixture([], { scripted: {}, looseScript: true, middleware: [] });
    f.session.configure({ provider });
    expect((await rejection(f.session.send('Go'))).code).toBe('auth');
    expect(f.session.state.lastError).toEqual({
      code: 'auth',
      message: 'No key.',
      retry: 'after-action',
      details: {},
    });
  });
});
