// Compaction inside of a turn, without a command.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  callInside,
  callTools,
  createVirtualClock,
  fail,
  failAfter,
  gate,
  say,
  scriptedProvider,
  settle,
  spyTool,
  stall,
  type AnswerSource,
  type ScriptedAnswer,
  type ScriptedProvider,
} from '@banister/testing';
import { compaction, type Operation } from '@banister/session';
import { textPieces, type TextPiece } from '@banister/session/view';
import { withFallback, type FallbackOptions, type ProviderRequest } from '@banister/provider';
import { outline, rejection, fixture, type Fixture, type FixtureOptions } from './fixture.js';
import { generateLoaded } from './generate-loaded.js';

const long = (word: string, count = 400) => `${word} `.repeat(count);
/** A window of 7,000 tokens: compacted from 5,600, to 3,500. A turn has some 1,600. */
const small = (more: FixtureOptions = {}): FixtureOptions => ({
  scripted: { contextWindow: 7_000 },
  compaction: compaction(),
  ...more,
});
const question = () => long('question');
const answers = (count: number): AnswerSource[] => Array.from({ length: count }, () => say(long('answer')));
const fill = async (f: Fixture, count: number) => {
  for (let index = 0; index < count; index++) await f.session.send(question());
};
const sizes = ({ provider }: Fixture) =>
  provider.requests.map(({ messages }) => JSON.stringify(messages).length / 4);
const lastRequest = ({ provider }: Fixture): ProviderRequest => provider.requests.at(-1)!;
const typesOf = ({ observed }: Fixture, ...types: readonly Operation['type'][]) =>
  observed.operations.map(({ type }) => type).filter((type) => types.includes(type));

const readOf = (count: number) =>
  spyTool('read', { capabilities: ['readOnly'], execute: () => long('result', count) });
const withDocs = (count: number) => ({ domains: [{ id: 'docs', tools: [readOf(count)] }] });
const call = callTools({ tool: 'docs.read' });

describe('the option compaction', () => {
  it('compacts before a request that fills 80 % of the window, down to 50 %', async () => {
    await using f = fixture([...answers(3), say('S'), ...answers(1)], small());
    await fill(f, 3);
    expect(f.session.compactions.value).toEqual([]);
    await fill(f, 1);
    expect(f.session.compactions.value).toMatchObject([{ turnId: 'turn_4', round: 1, summary: 'S' }]);
    const [mark] = f.session.compactions.value;
    expect(mark!.tokens.before).toBeGreaterThanOrEqual(5_600);
    expect(mark!.tokens.after).toBeLessThanOrEqual(3_500);
    expect(sizes(f).at(-1)).toBeLessThan(3_900);
    expect(f.session.turns.value.at(-1)?.compactions).toEqual([mark]);
  });

  it('does not compact below 80 %, without the option, or if the window is unknown', async () => {
    await using below = fixture(answers(4), small({ scripted: { contextWindow: 8_000 } }));
    await using without = fixture(answers(4), { scripted: { contextWindow: 7_000 } });
    await using unknown = fixture(answers(4), { compaction: compaction() });
    for (const f of [below, without, unknown]) {
      await fill(f, 4);
      expect(f.session.compactions.value).toEqual([]);
    }
  });

  it('does not compact if that would save almost nothing', async () => {
    await using f = fixture([say(long('answer', 150)), say('x')], small());
    await f.session.send('Hi');
    await f.session.send(long('question', 2_600));
    expect(typesOf(f, 'contextCompacted')).toEqual([]);
    expect(sizes(f).at(-1)).toBeGreaterThan(5_600);
  });

  it('can be set and removed by `configure`', async () => {
    await using f = fixture([...answers(3), say('S'), ...answers(1), say('x')], small({ compaction: null }));
    await fill(f, 3);
    f.session.configure({ compaction: compaction() });
    await fill(f, 1);
    expect(f.session.compactions.value).toHaveLength(1);
    f.session.configure({ compaction: null });
    await f.session.send('On');
    expect(lastRequest(f).messages[0]?.kind).toBe('summary');
  });

  it.each([
    { at: 0 },
    { at: 1.1 },
    { to: 0.9 },
    { at: 0.5 },
    { summary: 1 },
    { att: 1 },
    { summaryTimeoutMs: 0 },
  ])('refuses %o', (options) => {
    expect(() => compaction(options as object)).toThrow(/options of compaction/);
  });

  it('shows the phase compacting while the model writes, then goes on', async () => {
    await using f = fixture([...answers(3), stall('The'), ...answers(1)], small());
    await fill(f, 3);
    const done = f.session.send(question());
    await vi.waitFor(() => expect(f.provider.requests).toHaveLength(4), { timeout: 30_000 });
    expect(f.session.phase.value).toBe('compacting');
    await f.clock.advance(30_000);
    expect(await done).toMatchObject({ status: 'completed' });
    expect(f.session.compactions.value).toMatchObject([
      { failure: expect.stringMatching(/30000 ms/) as string },
    ]);
  });

  it('writes no summary if summaries are switched off', async () => {
    await using f = fixture(answers(4), small({ compaction: compaction({ summary: false }) }));
    await fill(f, 4);
    const [mark] = f.session.compactions.value;
    expect(mark).not.toHaveProperty('failure');
    expect(mark?.stripped).toHaveProperty('messages');
    expect(typesOf(f, 'contextCompacted')).toHaveLength(1);
  });

  it('the summary is no round, and counts in usage and cost', async () => {
    const usage = { inputTokens: 300, outputTokens: 30 };
    await using f = fixture([...answers(3), say('S', { usage }), say('x', { usage })], small());
    await fill(f, 3);
    const result = await f.session.send(question());
    expect(result).toMatchObject({ rounds: 1, usage: { inputTokens: 600, outputTokens: 60 } });
    expect(f.session.totals.value.usage).toMatchObject({ inputTokens: 600, outputTokens: 60 });
    expect(f.session.turns.value.at(-1)?.rounds).toHaveLength(1);
    expect(f.session.compactions.value[0]).not.toHaveProperty('usage');
  });

  it('the usage of the summary can trip a limit of the turn', async () => {
    const usage = { inputTokens: 300, outputTokens: 30 };
    await using f = fixture([...answers(3), say('S', { usage })], small());
    await fill(f, 3);
    const error = await rejection(f.session.send(question(), { limits: { maxTokens: 200 } }));
    expect(error.code).toBe('token-budget');
    expect(f.session.compactions.value).toMatchObject([{ stripped: {} }]);
  });

  it('the time of the summary counts: the time limit of the turn ends both', async () => {
    await using f = fixture([...answers(3), stall('The')], small());
    await fill(f, 3);
    const failed = rejection(f.session.send(question(), { limits: { timeoutMs: 20_000 } }));
    await vi.waitFor(() => expect(f.session.phase.value).toBe('compacting'), { timeout: 30_000 });
    await f.clock.advance(20_000);
    expect((await failed).code).toBe('timeout');
    expect(f.provider.streams.at(-1)?.aborted).toBe(true);
    expect(f.session.compactions.value).toMatchObject([{ stripped: {} }]);
  });

  it('asks for no summary while the user is asked for more time', async () => {
    const hooked = gate();
    await using f = fixture(
      [...answers(3), say('S'), say('Done.')],
      small({
        limits: { onTrip: 'ask' },
        middleware: [
          {
            name: 'slow',
            beforeRequest: async ({ idempotencyKey }) => {
              if (idempotencyKey?.endsWith('-summary')) await hooked.pass();
              return undefined;
            },
          },
        ],
      }),
    );
    await fill(f, 3);
    const turn = f.session.send(question(), { limits: { timeoutMs: 3_000 } });
    await hooked.reached;
    await f.clock.advance(3_000);
    hooked.open();
    await settle(50);
    const before = f.provider.requests.length;
    await f.session.pendingExtension.value!.extend();
    expect((await turn).text).toBe('Done.');
    expect(before).toBe(3);
    expect(f.session.compactions.value).toMatchObject([{ summary: 'S' }]);
  });

  it('compacts old rounds of one long turn, never calls that the model has not read', async () => {
    const calls = 8;
    await using f = fixture(
      [
        ...Array.from({ length: calls }, (_one, n) => callTools({ tool: 'docs.read', args: { n } })),
        say('Done.'),
      ],
      small({
        ...withDocs(300),
        scripted: { contextWindow: 4_000 },
        compaction: compaction({ summary: false }),
        limits: { maxRounds: 20, maxToolCalls: 20 },
      }),
    );
    await f.session.send('Read all of it');
    expect(f.session.compactions.value.length).toBeGreaterThan(0);
    expect(Math.max(...sizes(f))).toBeLessThan(4_000);
    for (const { messages } of f.provider.requests.slice(1)) {
      expect(JSON.stringify(messages)).toContain('Read all of it');
      expect(JSON.stringify(messages.at(-1))).toContain('result result');
    }
    expect(f.session.conversation.value.messages).toHaveLength(2 + 2 * calls);
  });

  it('the last user message and the open calls stay, even if they alone are too large', async () => {
    await using f = fixture(
      [say(long('answer')), call, say('x')],
      small({ ...withDocs(2_500), scripted: { contextWindow: 4_000 } }),
    );
    await f.session.send(question());
    await f.session.send('Read it');
    const { messages } = lastRequest(f);
    expect(messages.slice(-3).map(({ parts }) => parts[0]!.type)).toEqual([
      'text',
      'tool-call',
      'tool-result',
    ]);
    expect(outline(messages).at(-3)).toBe('user: Read it');
  });

  it('requests a summary if there is room below 80 %, even if the open calls alone exceed the target size', async () => {
    await using f = fixture(
      [say(long('answer')), call, say('The user asked a long question.'), say('x')],
      small({ ...withDocs(1_600), scripted: { contextWindow: 4_000 } }),
    );
    await f.session.send(question());
    await f.session.send('Read it');
    const [mark] = f.session.compactions.value;
    expect(mark).toMatchObject({ summary: 'The user asked a long question.', round: 2 });
    expect(mark!.tokens.after).toBeGreaterThan(2_000);
    expect(lastRequest(f).messages[0]?.kind).toBe('summary');
  });

  it('requests no summary if there is no room for it, and says so once', async () => {
    const tools = Array.from({ length: 30 }, (_one, index) =>
      spyTool(`tool${index}`, { description: long('Does it.', 25), execute: () => 'done' }),
    );
    const words = Array.from({ length: 6 }, () => say(long('answer', 60)));
    await using f = fixture(words, {
      domains: [{ id: 'many', tools }],
      scripted: { contextWindow: 2_200 },
      compaction: compaction(),
    });
    for (const _one of words) await f.session.send(long('question', 60));
    const marks = f.session.compactions.value;
    expect(marks.length).toBeGreaterThan(2);
    expect(marks.map(({ failure }) => failure)).toEqual([
      'the role, the tools and the last messages leave no room for a summary',
      ...marks.slice(1).map(() => undefined),
    ]);
    expect(f.provider.requests).toHaveLength(words.length);
  });
});

describe('an error context-length', () => {
  beforeAll(generateLoaded);

  it('H7 leads to a compaction and one further request', async () => {
    await using f = fixture([...answers(3), fail('context-length'), say('S'), say('x')], {
      compaction: compaction(),
    });
    await fill(f, 3);
    expect(await f.session.send('On')).toMatchObject({ status: 'completed', rounds: 1 });
    expect(f.session.compactions.value).toMatchObject([{ turnId: 'turn_4', round: 1, summary: 'S' }]);
    expect(lastRequest(f).messages[0]?.kind).toBe('summary');
    expect(f.observed.operations.find(({ type }) => type === 'retrying')).toMatchObject({
      attempt: 2,
      code: 'context-length',
    });
  });

  it('fails the turn if the shorter request is also too long', async () => {
    await using f = fixture([...answers(3), fail('context-length'), say('S'), fail('context-length')], {
      compaction: compaction(),
    });
    await fill(f, 3);
    expect((await rejection(f.session.send('On'))).code).toBe('context-length');
    expect(f.session.compactions.value).toHaveLength(1);
  });

  it('audit-A6 in the middle of an answer, the answer is requested again from its beginning, and its pieces so far are removed, also for structured output', async () => {
    const half = failAfter(['Half', { tool: 'docs.read' }], 'context-length');
    await using f = fixture([...answers(3), half, say('S'), say('Whole.', { thinking: 'Hm.' })], {
      compaction: compaction(),
    });
    await fill(f, 3);
    const pieces: TextPiece[] = [];
    textPieces(f.session).subscribe((piece) => pieces.push(piece));
    expect(await f.session.send('On')).toMatchObject({ status: 'completed', text: 'Whole.', rounds: 1 });
    expect(f.session.currentText.value).toBe('Whole.');
    const turnId = 'turn_4';
    expect(pieces).toEqual([
      { turnId, text: 'Half' },
      { turnId, text: '', replace: true },
      { turnId, text: 'Whole.' },
    ]);
    expect(f.session.turns.value.at(-1)!.rounds[0]!.parts.map(({ type }) => type)).toEqual([
      'thinking',
      'text',
    ]);
    expect(f.session.compactions.value).toMatchObject([{ turnId, round: 1, summary: 'S' }]);
  });

  it('audit-A6 in the middle of a structured output, the output is requested again from its beginning', async () => {
    const half = failAfter(['{"n":1,"list":['], 'context-length');
    await using f = fixture([...answers(3), half, say('S'), say('{"n":7}')], { compaction: compaction() });
    await fill(f, 3);
    const partial: unknown[] = [];
    f.session.operations$.subscribe(({ type }) => {
      if (['outputArrived', 'retrying'].includes(type)) partial.push(f.session.state.partialOutput);
    });
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
    expect(await f.session.generate('Give', schema)).toEqual({ n: 7 });
    expect(partial).toEqual([{ n: 1, list: [] }, null, { n: 7 }]);
    expect(f.provider.requests).toHaveLength(6);
  });

  it('audit-A6 after a call that ran inside the answer, the turn fails, because the call would run again', async () => {
    const act = spyTool('act');
    const half = failAfter([callInside({ tool: 'app.act' })], 'context-length');
    await using f = fixture([...answers(3), half], {
      compaction: compaction(),
      domains: [{ id: 'app', tools: [act] }],
    });
    await fill(f, 3);
    expect((await rejection(f.session.send('On'))).code).toBe('context-length');
    expect(act.runs).toHaveLength(1);
    expect(f.session.compactions.value).toEqual([]);
  });

  it('fails the turn if nothing can be left out, or without the option', async () => {
    await using single = fixture([fail('context-length')], { compaction: compaction() });
    await using without = fixture([...answers(3), fail('context-length')]);
    await fill(without, 3);
    for (const f of [single, without]) {
      expect((await rejection(f.session.send('On'))).code).toBe('context-length');
      expect(f.session.compactions.value).toEqual([]);
    }
  });

  it('the compaction stays even if the turn fails afterwards: the next request is shorter', async () => {
    await using f = fixture([...answers(3), fail('context-length'), say('S'), fail('auth'), say('x')], {
      compaction: compaction(),
    });
    await fill(f, 3);
    expect((await rejection(f.session.send('On'))).code).toBe('auth');
    await f.session.send('Again');
    expect(lastRequest(f).messages[0]).toMatchObject({ kind: 'summary' });
    expect(f.session.canUndo.value).toBe(false);
  });
});

describe('a cancel while the model writes a summary', () => {
  it.each(['cancel', 'abort'] as const)(
    'by %s ends the turn at once, and the compaction steps before it stay',
    async (level) => {
      await using f = fixture([...answers(3), stall('The'), say('x')], small());
      await fill(f, 3);
      const done = rejection(f.session.send(question()));
      await vi.waitFor(() => expect(f.provider.requests).toHaveLength(4), { timeout: 30_000 });
      await f.session.cancel({ immediate: level === 'abort' });
      expect((await done).code).toBe('cancelled');
      expect(f.provider.streams.at(-1)?.aborted).toBe(true);
      expect(f.session.compactions.value).toMatchObject([{ stripped: {} }]);
      await f.session.send('On');
      expect(lastRequest(f).messages[0]?.kind).toBe('summary');
      expect(f.session.phase.value).toBe('idle');
    },
  );
});

describe('a summary and a fallback', () => {
  /** Two providers, and the keys of the requests to each. The first one fails. */
  const stage = (answer: (key: string) => ScriptedAnswer, options: FallbackOptions = {}) => {
    const clock = createVirtualClock(1_000);
    const scripted = { contextWindow: 7_000 };
    const down = scriptedProvider([], { ...scripted, id: 'down', otherwise: fail('auth') });
    const up = scriptedProvider([], {
      ...scripted,
      id: 'up',
      otherwise: ({ idempotencyKey }) =>
        idempotencyKey.endsWith('summary') ? say('S') : answer(idempotencyKey),
    });
    const keysOf = ({ requests }: ScriptedProvider) => requests.map(({ idempotencyKey: key }) => key);
    return {
      provider: withFallback([down, up], { clock, ...options }),
      keys: () => [keysOf(down), keysOf(up)],
    };
  };

  it('inside a turn, the summary is requested from the provider with which the turn continues', async () => {
    const { provider, keys } = stage((key) => (key === 'turn_4-m1-1' ? call : say(long('answer'))));
    await using f = fixture([], small({ ...withDocs(900), provider } as FixtureOptions));
    await fill(f, 3);
    await f.session.send('Read it');
    expect(f.session.compactions.value).toMatchObject([{ turnId: 'turn_4', round: 2, summary: 'S' }]);
    const [down, up] = keys();
    expect(up).toContain('mark_1-summary');
    expect(down).toEqual(['turn_1-1', 'turn_2-1', 'turn_3-1', 'turn_4-1']);
  });

  it('between two turns, the summary is requested from the first provider that is not paused', async () => {
    const { provider, keys } = stage(() => say(long('answer')), { breaker: { failures: 3 } });
    await using f = fixture([], { provider } as FixtureOptions);
    await fill(f, 3);
    await f.session.compact();
    expect(f.session.compactions.value).toMatchObject([{ summary: 'S' }]);
    expect(keys().map((all) => all.filter((key) => key.endsWith('summary')))).toEqual([
      [],
      ['mark_1-summary'],
    ]);
  });

  it('is requested from the next provider if the first provider fails', async () => {
    const { provider, keys } = stage(() => say(long('answer')));
    await using f = fixture([], { provider } as FixtureOptions);
    await fill(f, 3);
    await f.session.compact();
    expect(f.session.compactions.value).toMatchObject([{ summary: 'S' }]);
    expect(keys().every((all) => all.includes('mark_1-summary'))).toBe(true);
  });
});
