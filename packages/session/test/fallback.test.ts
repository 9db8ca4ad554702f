// The next provider of a fallback.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  callTools,
  createVirtualClock,
  cut,
  fail,
  failAfter,
  finishWith,
  say,
  scriptedProvider,
  spyTool,
  stall,
  type AnswerSource,
  type ScriptedProvider,
  type VirtualClock,
} from '@banister/testing';
import {
  AgentSessionError,
  createAgentSession,
  type ErrorCode,
  type Message,
  type Operation,
  type OperationOf,
  type Provider,
  type SavedConversation,
} from '@banister/session';
import { withFallback, withPrice } from '@banister/provider';
import { propertyRun } from '../../../test/kit/property-run.js';
import { fixture, rejection, type Fixture, type FixtureOptions } from './fixture.js';
import { hooksLoaded } from './hooks-loaded.js';

interface Fallback extends Fixture {
  readonly second: ScriptedProvider;
}

const identity = (id: string) => ({ provider: id, model: `${id}-1` });

/** A session with a fallback of two scripted providers. */
function fallbackOf(
  first: readonly AnswerSource[],
  second: readonly AnswerSource[],
  options: FixtureOptions = {},
): Fallback {
  const f = fixture(first, {
    ...options,
    scripted: { id: 'first', model: 'first-1', ...options.scripted },
  });
  const other = scriptedProvider(second, { id: 'second', model: 'second-1' });
  f.session.configure({ provider: withFallback([f.provider, other], { clock: f.clock }) });
  return Object.assign(f, { second: other });
}

const of = <T extends Operation['type']>({ observed }: Fixture, type: T) =>
  observed.operations.filter((operation): operation is OperationOf<T> => operation.type === type);

const typesOf = ({ observed }: Fixture) =>
  observed.operations
    .map(({ type }) => type)
    .filter((type) =>
      ['modelCallStarted', 'modelCallFinished', 'retrying', 'providerSwitched'].includes(type),
    );

async function outcome(f: Fixture, text = 'Go', ms = 300_000) {
  const turn = f.session.send(text).then(
    (result) => result.text,
    (error: AgentSessionError) => error.code,
  );
  await f.clock.advance(ms);
  return turn;
}

describe('the next provider', () => {
  it('SA-26 the next provider gets the request when all attempts with the first provider have failed', async () => {
    await using f = fallbackOf([fail('overloaded'), fail('overloaded')], [say('Second.')], {
      limits: { maxRetries: 1 },
    });
    expect(await outcome(f)).toBe('Second.');
    expect(typesOf(f)).toEqual([
      'modelCallStarted',
      'modelCallFinished',
      'retrying',
      'modelCallStarted',
      'modelCallFinished',
      'providerSwitched',
      'modelCallStarted',
      'modelCallFinished',
    ]);
    expect(of(f, 'providerSwitched')).toMatchObject([
      { attempt: 3, from: identity('first'), to: identity('second'), member: 1, code: 'overloaded' },
    ]);
    expect(of(f, 'modelCallStarted').map(({ attempt, model, member }) => [attempt, model, member])).toEqual([
      [1, 'first-1', identity('first')],
      [2, 'first-1', identity('first')],
      [3, 'second-1', identity('second')],
    ]);
  });

  it('is asked at once after a failure that a retry with the same provider would repeat', async () => {
    await using f = fallbackOf([fail('auth')], [say('Second.')]);
    const { text } = await f.session.send('Go');
    expect(text).toBe('Second.');
    expect(f.clock.now()).toBe(1_000);
  });

  it('has its own number of attempts; the numbering continues', async () => {
    const down = [fail('server'), fail('server')];
    await using f = fallbackOf(down, down, { limits: { maxRetries: 1 } });
    expect(await outcome(f)).toBe('server');
    expect(
      of(f, 'retrying').map(({ attempt, maxAttempts, delayMs }) => [attempt, maxAttempts, delayMs]),
    ).toEqual([
      [2, 2, 500],
      [4, 4, 500],
    ]);
    expect(of(f, 'modelCallStarted').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  });

  it('stays for the rest of the turn; the next turn begins with the first provider', async () => {
    await using f = fallbackOf(
      [fail('auth'), say('First.')],
      [callTools({ tool: 'board.work', args: {} }), say('Second.')],
      { domains: [{ id: 'board', tools: [spyTool('work')] }] },
    );
    expect(await outcome(f)).toBe('Second.');
    expect(of(f, 'providerSwitched')).toHaveLength(1);
    expect(f.second.requests).toHaveLength(2);
    expect(await outcome(f, 'More')).toBe('First.');
    expect(of(f, 'providerSwitched')).toHaveLength(1);
  });

  it.each<[string, AnswerSource]>([
    ['text', cut('Visible')],
    ['thinking', cut({ type: 'thinking', delta: 'Hm' })],
    ['an opaque part', cut({ type: 'opaque', data: 1 })],
    ['a piece of a call', failAfter([{ type: 'tool-call', index: 0, tool: 'a.b', delta: '{' }], 'network')],
  ])('is not asked after visible output: %s', async (_name, answer) => {
    await using f = fallbackOf([answer], [], { limits: { maxRetries: 0 } });
    expect(await outcome(f)).toMatch(/^(interrupted|network)$/);
    expect(of(f, 'providerSwitched')).toEqual([]);
    expect(f.second.requests).toEqual([]);
  });

  it('is asked after an answer without visible output, for example with only usage', async () => {
    await using f = fallbackOf([cut({ type: 'usage', usage: { inputTokens: 3 } })], [say('Second.')], {
      limits: { maxRetries: 0 },
    });
    expect(await outcome(f)).toBe('Second.');
  });

  it.each<ErrorCode>(['refused', 'invalid-configuration', 'context-length', 'unsupported'])(
    "is not asked after a failure that is not the provider's: %s",
    async (code) => {
      await using f = fallbackOf([fail(code)], []);
      expect(await outcome(f)).toBe(code);
      expect(f.second.requests).toEqual([]);
    },
  );

  it('is asked only after the codes in the option `switchOn`', async () => {
    const first = scriptedProvider([fail('refused'), fail('auth')]);
    const second = scriptedProvider([say('Second.')]);
    const provider = withFallback([first, second], { switchOn: ['refused'] });
    const session = createAgentSession({ provider });
    expect((await session.send('Go')).text).toBe('Second.');
    expect(await rejection(session.send('Go'))).toMatchObject({ code: 'auth' });
    await session.dispose();
  });

  it('is not asked after a limit or a refusal by a middleware', async () => {
    await hooksLoaded();
    await using f = fallbackOf([say('x', { usage: { inputTokens: 9 } })], [], {
      limits: { maxTokens: 5 },
      looseScript: true,
    });
    expect(await outcome(f)).toBe('token-budget');
    f.session.configure({
      middleware: [
        {
          name: 'strict',
          beforeRequest: () => {
            throw new AgentSessionError('network', 'No.');
          },
        },
      ],
    });
    expect(await outcome(f)).toBe('egress-refused');
    expect(of(f, 'providerSwitched')).toEqual([]);
  });

  it("gets the middleware's request, with another idempotency key", async () => {
    await hooksLoaded();
    let requests = 0;
    await using f = fallbackOf([fail('network'), fail('network')], [say('Second.')], {
      limits: { maxRetries: 1 },
      middleware: [
        { name: 'counts', beforeRequest: (request) => ({ ...request, system: `Request ${++requests}.` }) },
      ],
    });
    expect(await outcome(f)).toBe('Second.');
    expect(f.provider.requests.map(({ system }) => system)).toEqual(['Request 1.', 'Request 1.']);
    expect(f.second.requests[0]?.system).toBe('Request 2.');
    const [first, again] = f.provider.requests.map(({ idempotencyKey }) => idempotencyKey);
    expect(again).toBe(first);
    expect(f.second.requests[0]?.idempotencyKey).not.toBe(first);
  });

  it('is named as owner of the parts that only its model can read', async () => {
    await using f = fallbackOf(
      [fail('auth')],
      [finishWith('stop', { type: 'thinking', delta: 'Hm', signature: 's' }, 'Hi')],
    );
    await f.session.send('Go');
    expect(f.session.conversation.value.messages[1]?.parts[0]).toEqual({
      type: 'thinking',
      text: 'Hm',
      signature: 's',
      signedBy: 'second',
      owner: identity('second'),
    });
  });

  it('is listed in the record of the turn, also after reopening the conversation', async () => {
    await using f = fallbackOf([fail('auth')], [say('Second.')]);
    await f.session.send('Go');
    const switches = [
      { round: 1, from: identity('first'), to: identity('second'), code: 'auth', reason: expect.any(String) },
    ];
    expect(f.session.turns.value[0]?.switches).toEqual(switches);
    const saved = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
    const again = createAgentSession({ provider: f.second, conversation: saved });
    expect(again.turns.value[0]?.switches).toEqual(switches);
    await again.dispose();
  });
});

describe('several providers with the same model', () => {
  it('are distinguished', async () => {
    await using f = fallbackOf([fail('auth')], []);
    const accounts = [fail('auth'), say('Third.')].map((answer) =>
      scriptedProvider([answer], { id: 'first', model: 'first-1' }),
    );
    f.session.configure({ provider: withFallback([f.provider, ...accounts], { clock: f.clock }) });
    expect(await outcome(f)).toBe('Third.');
    expect(of(f, 'providerSwitched').map(({ member }) => member)).toEqual([1, 2]);
  });
});

describe('a turn that is resumed', () => {
  const interrupted = async () => {
    await using f = fallbackOf([fail('auth')], [stall('Half')], { looseScript: true });
    void f.session.send('Go').catch(() => {});
    await f.clock.advance(100);
    return f.observed.operations.slice();
  };
  const resumed = async (provider: Provider) => {
    const operations = await interrupted();
    const records = [{ version: 1, revision: 1, epoch: 1, operations }];
    const session = createAgentSession({ provider, restored: { snapshot: null, records } });
    const seen: Operation[] = [];
    session.operations$.subscribe((operation) => seen.push(operation));
    const result = await session.resume();
    await session.dispose();
    return {
      text: 'text' in result ? result.text : null,
      switches: seen.filter((operation) => operation.type === 'providerSwitched'),
    };
  };
  const scripted = (id: string) => scriptedProvider([say(`From ${id}.`)], { id, model: `${id}-1` });

  it('a resumed turn continues with the provider that its log names', async () => {
    const provider = withFallback([scripted('new'), scripted('first'), scripted('second')]);
    expect(await resumed(provider)).toEqual({ text: 'From second.', switches: [] });
  });

  it('begins with the first provider if that provider no longer exists', async () => {
    const { text, switches } = await resumed(withFallback([scripted('other'), scripted('first')]));
    expect(text).toBe('From other.');
    expect(switches).toMatchObject([
      { attempt: 1, from: identity('second'), to: identity('other'), member: 0, code: 'interrupted' },
    ]);
  });

  it('continues with a provider without a fallback', async () => {
    expect(await resumed(scripted('alone'))).toEqual({ text: 'From alone.', switches: [] });
  });
});

describe('capabilities of a fallback', () => {
  const of = (...all: readonly Parameters<typeof scriptedProvider>[1][]) =>
    withFallback(all.map((options) => scriptedProvider([], options)));

  it('are the capabilities that all providers have, with the smallest window and the smallest limit on tools', () => {
    expect(
      of({ contextWindow: 9, maxTools: 5 }, { contextWindow: 7, maxTools: 6 }, {}).capabilities,
    ).toMatchObject({
      images: true,
      pdfs: true,
      structuredOutput: true,
      contextWindow: 7,
      maxTools: 5,
      toolChoices: ['none', 'required', 'tool'],
    });
    expect(of({}, { images: false }).capabilities.images).toBe(false);
    expect(of({}, { imagesInResults: false }).capabilities.imagesInResults).toBe(false);
    expect(of({ pdfs: false }, {}).capabilities.pdfs).toBe(false);
    expect(of({}, { structuredOutput: false }).capabilities.structuredOutput).toBe(false);
    expect(
      of({ toolChoices: ['none', 'tool'] }, { toolChoices: ['required', 'none'] }).capabilities.toolChoices,
    ).toEqual(['none']);
    expect(of({}, {}).capabilities).not.toHaveProperty('contextWindow');
    expect(of({}, {}).capabilities).not.toHaveProperty('maxTools');
  });

  it('have the default values if a provider declares nothing', () => {
    const plain: Provider = { ...scriptedProvider([]), capabilities: { images: true } };
    expect(withFallback([plain]).capabilities).toEqual({
      images: true,
      imagesInResults: true,
      pdfs: false,
      toolChoices: [],
      structuredOutput: false,
    });
  });

  it('a tool choice or an image that one provider does not accept is `unsupported`', async () => {
    const provider = of({}, { toolChoices: [], images: false });
    const session = createAgentSession({ provider, domains: [{ id: 'board', tools: [spyTool('work')] }] });
    const choice = session.send('Go', { toolChoice: 'required' });
    expect(await rejection(choice)).toMatchObject({ code: 'unsupported' });
    const images = [{ mediaType: 'image/png', data: 'iVBORw0KGgo=' }];
    expect(await rejection(session.send({ text: 'Look', images }))).toMatchObject({ code: 'unsupported' });
    expect(session.turns.value).toEqual([]);
    await session.dispose();
  });

  it('attachments in the history are replaced by texts if the next provider does not accept them', async () => {
    await using f = fallbackOf([say('Nice.'), fail('auth')], []);
    f.session.configure({ provider: f.provider });
    const images = [{ mediaType: 'image/png', data: 'iVBORw0KGgo=' }];
    await f.session.send({ text: 'Look', images });
    const blind = scriptedProvider([say('Second.')], { id: 'blind', model: 'blind-1', images: false });
    f.session.configure({ provider: withFallback([f.provider, blind], { clock: f.clock }) });
    await f.session.send('More');
    const partsOf = (messages: readonly Message[] = []) => messages[0]?.parts.map(({ type }) => type);
    expect(partsOf(f.provider.requests[1]?.messages)).toEqual(['text', 'image']);
    expect(partsOf(blind.requests[0]?.messages)).toEqual(['text', 'text']);
    expect(f.session.lastContextDiagnostics.value).toMatchObject([{ source: 'attachments' }]);
  });
});

describe('usage and cost', () => {
  it('usage and cost are reported by the provider that was asked', async () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0 };
    const first = scriptedProvider([failAfter([{ type: 'usage', usage }], 'server')], { id: 'first' });
    const second = scriptedProvider([say('Second.', { usage })], { id: 'second' });
    const provider = withFallback([
      withPrice(first, { input: 1, output: 1 }),
      withPrice(second, { input: 5, output: 1 }),
    ]);
    const session = createAgentSession({ provider, limits: { maxRetries: 0 } });
    const finished: unknown[] = [];
    session.operations$.subscribe((operation) => {
      if (operation.type === 'modelCallFinished')
        finished.push([operation.member?.provider, operation.usage?.cost?.amount]);
    });
    await session.send('Go');
    expect(finished).toEqual([
      ['first', 1],
      ['second', 5],
    ]);
    expect(session.lastUsageReport.value?.cost?.amount).toBe(6);
    await session.dispose();
  });

  it('one price for all providers is refused', () => {
    const provider = withFallback([scriptedProvider([])]);
    expect(() => withPrice(provider, { input: 1, output: 1 })).toThrow(/own price/);
  });
});

describe('encrypted reasoning that the model refuses', () => {
  const refused = fail(
    new AgentSessionError('invalid-configuration', 'It could not be decrypted.', {
      details: { refused: 'reasoning' },
    }),
  );
  const signed = callTools(
    { type: 'thinking', delta: 'Hm', signature: 's' },
    { type: 'opaque', data: 1 },
    { tool: 'board.work', args: {} },
  );
  const options: FixtureOptions = {
    domains: [{ id: 'board', tools: [spyTool('work')] }],
    limits: { maxRetries: 0 },
  };
  const reasoningIn = (messages: readonly Message[]) =>
    messages
      .flatMap(({ parts }) => parts)
      .filter((part) => part.type === 'opaque' || (part.type === 'thinking' && part.signature)).length;

  it('is left out, and the round is requested once more', async () => {
    await using f = fixture([signed, refused, say('Done.')], options);
    expect((await f.session.send('Go')).text).toBe('Done.');
    expect(f.provider.requests.map(({ messages }) => reasoningIn(messages))).toEqual([0, 2, 0]);
    expect(of(f, 'retrying')).toMatchObject([
      { attempt: 2, maxAttempts: 2, delayMs: 0, without: 'reasoning' },
    ]);
    const [, first, again] = f.provider.requests;
    expect(again?.idempotencyKey).not.toBe(first?.idempotencyKey);
    expect(reasoningIn(f.session.conversation.value.messages)).toBe(2);
  });

  it('fails the turn if the request without it is refused too', async () => {
    await using f = fixture([signed, refused, refused], options);
    expect(await rejection(f.session.send('Go'))).toMatchObject({ code: 'invalid-configuration' });
    expect(of(f, 'retrying')).toHaveLength(1);
  });

  it('a request without encrypted reasoning is not repeated', async () => {
    await using f = fixture([refused], options);
    expect(await rejection(f.session.send('Go'))).toMatchObject({ code: 'invalid-configuration' });
    expect(of(f, 'retrying')).toEqual([]);
  });

  it('stays left out for the rest of the turn, but newer reasoning is sent', async () => {
    await using f = fixture([signed, refused, signed, say('Done.')], options);
    await f.session.send('Go');
    expect(f.provider.requests.map(({ messages }) => reasoningIn(messages))).toEqual([0, 2, 0, 2]);
  });

  it('does not use up an attempt', async () => {
    await using f = fixture([signed, refused, fail('server'), say('Done.')], {
      ...options,
      limits: { maxRetries: 1 },
    });
    expect(await outcome(f)).toBe('Done.');
    expect(of(f, 'retrying').map(({ attempt, maxAttempts }) => [attempt, maxAttempts])).toEqual([
      [2, 3],
      [3, 3],
    ]);
  });
});

type Outcome = 'answer' | 'visible' | 'busy' | 'auth' | 'refused';

const answers: Readonly<Record<Outcome, AnswerSource>> = {
  answer: say('Done.'),
  visible: cut('Half'),
  busy: fail('overloaded'),
  auth: fail('auth'),
  refused: fail('refused'),
};

/** The end of a turn, and the number of requests to each provider, as section 14 has it. */
function expected(schedules: readonly (readonly Outcome[])[], maxRetries: number) {
  const asked = schedules.map(() => 0);
  for (const [place, schedule] of schedules.entries()) {
    for (let attempt = 0; attempt <= maxRetries; attempt++) {
      asked[place] = attempt + 1;
      const result = schedule[attempt]!;
      if (result === 'answer') return { end: 'Done.', asked };
      if (result === 'visible') return { end: 'interrupted', asked };
      if (result === 'refused') return { end: 'refused', asked };
      if (result === 'auth') break;
    }
  }
  const last = schedules.at(-1)!.slice(0, asked.at(-1)).at(-1)!;
  return { end: last === 'auth' ? 'auth' : 'overloaded', asked };
}

describe('random failures of the providers', () => {
  const anyOutcome = fc.constantFrom<Outcome>('answer', 'visible', 'busy', 'busy', 'auth', 'auth', 'refused');
  const schedule = fc.array(anyOutcome, { minLength: 3, maxLength: 3 });

  it('any schedule of failures ends with the expected provider and attempt', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(schedule, { minLength: 1, maxLength: 4 }),
        fc.nat(2),
        async (schedules, maxRetries) => {
          const providers = schedules.map((one, place) =>
            scriptedProvider(
              one.map((result) => answers[result]),
              { id: `p${place}`, model: `m${place}` },
            ),
          );
          const clock: VirtualClock = createVirtualClock(1_000);
          await using f = fixture([], { limits: { maxRetries, timeoutMs: Infinity } });
          f.session.configure({ provider: withFallback(providers, { clock }) });
          const { end, asked } = expected(schedules, maxRetries);
          expect(await outcome(f, 'Go', 900_000)).toBe(end);
          expect(providers.map(({ requests }) => requests.length)).toEqual(asked);
          const reached = asked.filter((count) => count > 0).length;
          expect(of(f, 'providerSwitched')).toHaveLength(reached - 1);
          expect(clock.pending).toBe(0);
        },
      ),
      propertyRun('fallback', 1_000),
    );
  });
});
