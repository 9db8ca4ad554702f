import {
  AgentSessionError,
  withFallback,
  withPrice,
  type Clock,
  type ContentPart,
  type Message,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  type UsageReport,
} from '@banister/provider';
import {
  createVirtualClock,
  gate,
  say,
  scriptedProvider,
  settle,
  type VirtualClock,
} from '@banister/testing';
import { describe, expect, test } from 'vitest';
import { estimateInput, spentBy } from '../src/answer-quota.js';
import {
  gateway,
  memoryQuotas,
  type AnswerReport,
  type LogEntry,
  type Policy,
  type QuotaStore,
} from '../src/index.js';
import { wholePolicy } from '../src/policy.js';
import { bodyOf, options, post, refusalOf } from './ask.js';

const key = (name: string) => ({ 'idempotency-key': name });
const using = (usage: UsageReport | undefined, text = 'Hi.'): Provider =>
  scriptedProvider([], { otherwise: say(text, { usage }), validate: false });

describe('quotas', () => {
  test('P11 of a thousand requests at once, no more than the ten that a user may have at once reach the model', async () => {
    const held = gate();
    const provider = scriptedProvider([], { otherwise: say([held, 'Hi.']), validate: false });
    const ask = gateway(options({ provider, policy: { free: true, concurrent: 10, roundsPerMinute: 1e6 } }));
    const responses = await Promise.all(Array.from({ length: 1_000 }, () => ask(post())));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(990);
    expect(provider.requests).toHaveLength(10);
    held.open();
    await Promise.all(responses.filter(({ ok }) => ok).map((response) => response.text()));
    const next = await ask(post());
    expect(next.status).toBe(200);
    await next.text();
  });

  test('P9 P11 of five hundred bodies of one user at once, no more are read than answers may run', async () => {
    let read = 0;
    const held = gate();
    const slowBody = () =>
      new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            read++;
            await held.pass();
            controller.enqueue(new TextEncoder().encode('{'));
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
    let user = 'u1';
    const policy: Policy = { free: true, concurrent: 3 };
    const ask = gateway(options({ policy, authorize: () => ({ user }) }));
    const send = () => ask(post('', {}, { body: slowBody(), duplex: 'half' } as RequestInit));
    const all = Array.from({ length: 500 }, send);
    await settle();
    expect(read).toBe(3);
    expect(await refusalOf(await all[3]!)).toEqual([429, 'rate-limit']);
    user = 'u2';
    const other = send();
    await settle();
    expect(read).toBe(4);
    held.open();
    const statuses = (await Promise.all([...all, other])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(4);
    expect((await send()).status).toBe(400);
  });

  test('P9 P11 of twenty requests of one user, no more are prepared at once than answers may run, until the store has replied', async () => {
    let held = gate();
    let reserving = 0;
    const quotas: QuotaStore = {
      async reserve() {
        reserving++;
        await held.pass();
        return { ok: false, claim: 'tokens', waitMs: null };
      },
      settle: () => {},
    };
    const ask = gateway(options({ quotas, policy: { free: true, concurrent: 3 } }));
    // The name of the user is computed in another thread, once.
    held.open();
    await ask(post());
    [held, reserving] = [gate(), 0];
    const all: Promise<Response>[] = [];
    for (let i = 0; i < 20; i++) {
      all.push(ask(post()));
      await settle();
    }
    expect(reserving).toBe(3);
    held.open();
    const refusals = await Promise.all((await Promise.all(all)).map(refusalOf));
    expect(refusals.map(([, code]) => code)).toEqual([
      ...Array.from({ length: 3 }, () => 'quota'),
      ...Array.from({ length: 17 }, () => 'rate-limit'),
    ]);
    expect(await refusalOf(await ask(post()))).toEqual([429, 'quota']);
  });

  test('P11 of a thousand requests at once, only the rounds of a minute are served, and again in the next minute', async () => {
    const clock = createVirtualClock();
    const ask = gateway(options({ clock, policy: { free: true, roundsPerMinute: 10, concurrent: 1e6 } }));
    const oks = async () => {
      const responses = await Promise.all(Array.from({ length: 1_000 }, () => ask(post())));
      await Promise.all(responses.map((response) => response.text()));
      return responses.filter(({ ok }) => ok).length;
    };
    expect(await oks()).toBe(10);
    await clock.advance(30_000);
    const refused = await ask(post());
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(await refused.json()).toMatchObject({
      error: { code: 'rate-limit', retry: { afterMs: 30_000 }, details: { limit: 'roundsPerMinute' } },
    });
    await clock.advance(30_000);
    expect(await oks()).toBe(10);
    expect(clock.pending).toBe(0);
  });

  test('P11 the tokens of a day are booked as the model reports them, and the rest of the reservation is released', async () => {
    const clock = createVirtualClock();
    const provider = using({ inputTokens: 300, outputTokens: 100 });
    const policy: Policy = { free: true, maxTokens: { amount: 1_000, per: 'day' }, maxOutputTokens: 200 };
    const ask = gateway(options({ clock, provider, policy }));
    for (let i = 0; i < 2; i++) expect(await (await ask(post())).text()).toContain('finish');
    // 800 tokens are spent; a request with its longest answer has no room.
    const refused = await ask(post());
    expect(refused.headers.get('retry-after')).toBe('86400');
    expect(await refusalOf(refused)).toEqual([429, 'quota']);
    await clock.advance(86_400_000);
    expect((await ask(post())).status).toBe(200);
  });

  test('P11 a thousand requests at once do not spend more tokens than the quota has', async () => {
    let spent = 0;
    const provider = using({ inputTokens: 5, outputTokens: 95 });
    const policy: Policy = {
      free: true,
      maxTokens: { amount: 1_000, per: 'hour' },
      maxOutputTokens: 80,
      concurrent: 1e6,
      roundsPerMinute: 1e6,
    };
    const onUsage = ({ usage }: AnswerReport) =>
      void (spent += (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0));
    const ask = gateway(options({ provider, policy, onUsage }));
    await Promise.all(Array.from({ length: 1_000 }, async () => (await ask(post())).text()));
    expect(spent).toBeGreaterThan(800);
    expect(spent).toBeLessThanOrEqual(1_000);
  });

  test('P11 an answer gets at most the tokens that its input leaves of the ceiling', async () => {
    const provider = scriptedProvider([], { otherwise: say('Hi.'), validate: false });
    const ask = gateway(
      options({ provider, policy: { free: true, maxTokens: { amount: 100, per: 'day' } } }),
    );
    for (const changes of [{}, { maxOutputTokens: 5_000 }, { maxOutputTokens: 7 }])
      await (await ask(post(bodyOf(changes)))).text();
    const room = 100 - estimateInput(provider.requests[0]!);
    expect(room).toBeLessThan(100);
    // The second answer has less room, because the first answer spent some.
    expect(provider.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([room, 7]);
    const large = scriptedProvider([], { otherwise: say('Hi.'), validate: false });
    const policy: Policy = { free: true, maxTokens: { amount: 10_000, per: 'day' } };
    await (await gateway(options({ provider: large, policy }))(post())).text();
    expect(large.requests[0]).not.toHaveProperty('maxOutputTokens');
  });

  test('P11 an input above the token ceiling is refused, whatever it consists of, without a `retry-after`', async () => {
    const provider = scriptedProvider([], { otherwise: say('Hi.'), validate: false });
    const policy: Policy = { free: true, maxTokens: { amount: 10_000, per: 'minute' } };
    const ask = gateway(options({ provider, policy }));
    const data = Buffer.from('word '.repeat(10_000)).toString('base64');
    const pages = Buffer.from('page '.repeat(40_000)).toString('base64');
    for (const part of [
      { type: 'text', text: 'word '.repeat(10_000) },
      { type: 'file', name: 'a.txt', mediaType: 'text/plain', data },
      { type: 'file', name: 'a.pdf', mediaType: 'application/pdf', data: pages },
    ]) {
      const response = await ask(post(bodyOf({ messages: [{ id: 'm', role: 'user', parts: [part] }] })));
      expect(response.status).toBe(413);
      expect(response.headers.get('retry-after')).toBeNull();
      expect(await response.json()).toMatchObject({
        error: { code: 'context-length', retry: 'after-action', details: { limit: 'maxTokens' } },
      });
    }
    expect(provider.requests).toEqual([]);
  });

  test('money is booked if the provider has a price; an answer without a cost keeps what it reserved', async () => {
    const policy: Policy = { free: true, maxCost: { amount: 1, per: 'day', reserve: 0.4 } };
    const priced = withPrice(using({ inputTokens: 100, outputTokens: 100 }), { input: 1_000, output: 1_000 });
    const ask = gateway(options({ provider: priced, policy }));
    const statuses = async (handle: typeof ask, count: number) => {
      const all: number[] = [];
      for (let i = 0; i < count; i++) {
        const response = await handle(post());
        await response.text();
        all.push(response.status);
      }
      return all;
    };
    // Each costs 0.2, and needs room for 0.4.
    expect(await statuses(ask, 5)).toEqual([200, 200, 200, 200, 429]);
    expect(await statuses(gateway(options({ provider: using(undefined), policy })), 3)).toEqual([
      200, 200, 429,
    ]);
  });

  test('P11 with repeated waves of a thousand requests, neither reserved nor booked costs exceed the ceiling', async () => {
    const counts = memoryQuotas();
    const reserved = new Map<string, number>();
    let booked = 0;
    let most = 0;
    // Reads the store from outside: running answers count as reserved, finished answers as booked.
    const quotas: QuotaStore = {
      async reserve(reservation, claims, ttlMs) {
        const answer = await counts.reserve(reservation, claims, ttlMs);
        if (answer.ok) reserved.set(reservation.key, claims.find(({ name }) => name === 'cost')!.amount);
        most = Math.max(most, booked + [...reserved.values()].reduce((sum, amount) => sum + amount, 0));
        return answer;
      },
      async settle(reservation, spent) {
        booked += spent['cost'] ?? reserved.get(reservation.key)!;
        reserved.delete(reservation.key);
        await counts.settle(reservation, spent);
      },
    };
    // Amounts are multiples of 1/1,024, so that no sum is rounded. Each answer costs less than it reserves.
    // Every fifth answer has no known cost, and keeps its reservation.
    const costs = [64, 8, 40, 63, null];
    let held = gate();
    let asked = 0;
    const provider: Provider = {
      id: 'priced',
      model: 'm',
      capabilities: { images: false },
      async *stream() {
        const cost = costs[asked++ % costs.length];
        await held.pass();
        if (cost !== null)
          yield { type: 'usage', usage: { cost: { amount: cost! / 1_024, currency: 'USD' } } };
        yield { type: 'text', delta: 'Hi.' };
        yield { type: 'finish', reason: 'stop' };
      },
    };
    const policy: Policy = {
      free: true,
      maxCost: { amount: 1, per: 'day', reserve: 64 / 1_024 },
      concurrent: 1e6,
      roundsPerMinute: 1e6,
    };
    const ask = gateway(options({ provider, policy, quotas }));
    const waves: number[] = [];
    do {
      held = gate();
      const before = asked;
      const responses = await Promise.all(Array.from({ length: 1_000 }, () => ask(post())));
      const granted = responses.filter(({ ok }) => ok);
      const refused = responses.filter(({ ok }) => !ok);
      waves.push(granted.length);
      expect(await refusalOf(refused[0]!)).toEqual([429, 'quota']);
      expect(refused.every(({ status }) => status === 429)).toBe(true);
      held.open();
      await Promise.all(granted.map((response) => response.text()));
      expect(asked - before).toBe(granted.length);
      expect(reserved.size).toBe(0);
    } while (waves.at(-1)! > 0);
    // The first wave fills the ceiling. What its answers did not cost is granted again.
    expect(waves[0]).toBe(16);
    expect(waves.length).toBeGreaterThan(2);
    expect(most).toBe(1);
    expect(booked).toBeLessThanOrEqual(1);
    // There was no room for one more answer.
    expect(booked).toBeGreaterThan(1 - 64 / 1_024);
  });

  test('an invalid usage report is booked by the estimate', async () => {
    for (const odd of [NaN, -1_000, 'many', null]) {
      const usage = { totalTokens: odd, cost: { amount: odd, currency: 'USD' } } as unknown as UsageReport;
      const provider: Provider = {
        id: 'odd',
        model: 'm',
        capabilities: { images: false },
        async *stream() {
          yield { type: 'usage', usage };
          yield { type: 'finish', reason: 'stop' };
        },
      };
      const policy: Policy = { free: true, maxTokens: { amount: 60, per: 'day' }, maxOutputTokens: 10 };
      const ask = gateway(options({ provider, policy }));
      const statuses: number[] = [];
      for (let i = 0; i < 3; i++) {
        const response = await ask(post());
        await response.text();
        statuses.push(response.status);
      }
      // About 20 tokens each, and room for 10 more.
      expect([odd, statuses]).toEqual([odd, [200, 200, 429]]);
    }
  });

  test.each(['cut', 'failed'] as const)(
    "P11 an answer that is %s is booked completely, regardless of the model's first report",
    async (status) => {
      const spent: unknown[] = [];
      const early = { inputTokens: 50, outputTokens: 1, cost: { amount: 0.001, currency: 'USD' } };
      const held = gate();
      const provider: Provider = {
        id: 'early',
        model: 'm',
        capabilities: { images: false },
        async *stream() {
          yield { type: 'usage', usage: early };
          yield { type: 'text', delta: 'x'.repeat(4_000) };
          if (status === 'failed') throw new Error('broken');
          await held.pass();
        },
      };
      const quotas: QuotaStore = {
        reserve: () => ({ ok: true }),
        settle: (_reservation, booked) => void spent.push(booked),
      };
      const policy: Policy = { free: true, maxCost: { amount: 1, per: 'day', reserve: 0.4 } };
      const client = new AbortController();
      const response = await gateway(options({ provider, policy, quotas }))(
        post(bodyOf({ maxOutputTokens: 100 }), {}, { signal: client.signal }),
      );
      await settle();
      client.abort();
      if (status === 'failed') await response.text();
      await settle();
      // The reserved cost stays booked.
      expect(spent).toEqual([{ tokens: 1_050 }]);
      held.open();
    },
  );

  test('P11 a model that was not asked, or that refused before its first event, costs nothing', async () => {
    const booked: unknown[] = [];
    const quotas: QuotaStore = {
      reserve: () => ({ ok: true }),
      settle: (_reservation, spent) => void booked.push(spent),
    };
    const reports: AnswerReport[] = [];
    const policy: Policy = { free: true, maxCost: { amount: 1, per: 'day' } };
    const onUsage = (report: AnswerReport) => void reports.push(report);
    const failing = (error: unknown, events: readonly ProviderEvent[] = []): Provider => ({
      id: 'failing',
      model: 'm',
      capabilities: { images: false },
      async *stream() {
        yield* events;
        throw error;
      },
    });
    const ask = async (provider: Provider, init: RequestInit = {}) => {
      const response = await gateway(options({ provider, policy, quotas, onUsage }))(
        post(bodyOf(), {}, init),
      );
      await response.text();
      await settle();
      return booked.pop();
    };
    const nothing = { tokens: 0, cost: 0 };
    for (const code of ['auth', 'rate-limit', 'overloaded', 'network', 'server'] as const)
      expect(await ask(failing(new AgentSessionError(code, 'No.')))).toEqual(nothing);
    expect(await ask(using(undefined), { signal: AbortSignal.abort() })).toEqual(nothing);
    for (const { estimate } of reports) expect(estimate).toEqual({ inputTokens: 0, outputTokens: 0 });
    // A model that has begun, or may have worked, keeps its reservation.
    for (const provider of [
      failing(new AgentSessionError('server', 'No.'), [{ type: 'usage', usage: {} }]),
      failing(new AgentSessionError('interrupted', 'Cut.')),
      failing(new Error('unknown')),
    ])
      expect(await ask(provider)).toEqual({ tokens: reports.at(-1)!.estimate.inputTokens + 4_096 });
    expect(reports.at(-1)!.estimate.inputTokens).toBeGreaterThan(0);
  });

  test('audit-X6 a lost answer, for example after a restart with a shared store, stays booked as reserved', async () => {
    const clock = createVirtualClock();
    const store = memoryQuotas({ clock });
    const claims = (amount: number) => [{ name: 'tokens', amount, max: 100, spanMs: 86_400_000 }];
    expect(store.reserve({ user: 'u', key: 'a' }, claims(60), 1_000)).toEqual({ ok: true });
    await clock.advance(2_000);
    expect(store.reserve({ user: 'u', key: 'b' }, claims(60), 1_000)).toMatchObject({ ok: false });
    expect(store.reserve({ user: 'u', key: 'c' }, claims(40), 1_000)).toEqual({ ok: true });
  });

  /** Ways in which an answer ends while the model thinks without sending anything. */
  const silentEnds: Readonly<Record<string, (client: AbortController, clock: VirtualClock) => unknown>> = {
    'the client leaves': (client) => client.abort(),
    'its time is over': (_client, clock) => clock.advance(600_000),
  };

  test.each([
    ...Object.keys(silentEnds),
    'the model fails',
    'its connection breaks',
    'the reader cancels',
    'it reports its beginning alone',
  ])('audit-X6 an answer during which the model was silent is booked as reserved: %s', async (way) => {
    const clock = createVirtualClock();
    const thrown: Readonly<Record<string, unknown>> = {
      'the model fails': new Error('broken'),
      'its connection breaks': new AgentSessionError('interrupted', 'Cut.'),
    };
    let asked = 0;
    const provider: Provider = {
      id: 'silent',
      model: 'm',
      capabilities: { images: false },
      async *stream(_request, signal) {
        asked++;
        if (way.startsWith('it reports'))
          yield { type: 'usage', usage: { inputTokens: 25, outputTokens: 1 } };
        if (way in thrown) throw thrown[way];
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    };
    const policy: Policy = {
      free: true,
      maxTokens: { amount: 10_000, per: 'day' },
      maxAnswerMs: 600_000,
      roundsPerMinute: 1e6,
    };
    const ask = gateway(options({ provider, policy, clock, quotas: memoryQuotas({ clock }) }));
    for (let i = 0; i < 20; i++) {
      const client = new AbortController();
      const response = await ask(post(bodyOf(), {}, { signal: client.signal }));
      if (!response.ok) continue;
      const reader = response.body!.getReader();
      await reader.read();
      await settle();
      if (way === 'the reader cancels') await reader.cancel();
      else if (!(way in thrown)) await (silentEnds[way] ?? silentEnds['the client leaves']!)(client, clock);
      await settle();
      await clock.advance(60_000);
    }
    // Two reservations of 4,096 tokens and the input fit.
    expect(asked).toBe(2);
  });

  test('each member of a fallback that reported usage is booked, with its last report', async () => {
    const member = (id: string, usages: readonly UsageReport[], isDown: boolean): Provider => ({
      id,
      model: 'm',
      capabilities: { images: false },
      async *stream() {
        for (const usage of usages) yield { type: 'usage', usage };
        if (isDown) throw new AgentSessionError('overloaded', 'Later.');
        yield { type: 'finish', reason: 'stop' };
      },
    });
    const cost = (amount: number) => ({ cost: { amount, currency: 'USD' } });
    const first = member('a', [{ inputTokens: 1 }, { inputTokens: 100, ...cost(0.1) }], true);
    const last = member(
      'b',
      [{ inputTokens: 40 }, { inputTokens: 50, outputTokens: 5, ...cost(0.2) }],
      false,
    );
    const reports: AnswerReport[] = [];
    const provider = withFallback([first, last]);
    const ask = gateway(options({ provider, onUsage: (report) => void reports.push(report) }));
    await (await ask(post())).text();
    await settle();
    expect(reports[0]?.usage).toEqual({
      inputTokens: 150,
      outputTokens: 5,
      cost: { amount: expect.closeTo(0.3) as number, currency: 'USD' },
    });
  });

  test('a cut answer is booked with the reported input, or the estimated input if there is no report', () => {
    const policy = wholePolicy({ free: true });
    const booked = (usage: UsageReport | null) =>
      spentBy(policy, { status: 'cut', isAsked: true, usage }, { inputTokens: 100, outputTokens: 7 }, 1);
    expect(booked({ inputTokens: 80, outputTokens: 1 })).toEqual({ tokens: 87 });
    expect(booked({ inputTokens: 80, outputTokens: 30 })).toEqual({ tokens: 110 });
    for (const usage of [null, { inputTokens: 0, outputTokens: 0 }, { inputTokens: NaN }])
      expect(booked(usage)).toEqual({ tokens: 107 });
  });

  test('the reported cost of a cut answer replaces the reserved cost if it is higher', async () => {
    const policy: Policy = { free: true, maxCost: { amount: 1, per: 'day', reserve: 0.4 } };
    const costing = (amount: number) => ({ totalTokens: 9, cost: { amount, currency: 'USD' } });
    const estimate = { inputTokens: 1, outputTokens: 1 };
    const booked = (status: 'cut' | 'completed', amount: number) =>
      spentBy(wholePolicy(policy), { status, isAsked: true, usage: costing(amount) }, estimate, 1);
    expect(booked('cut', 0.5)).toEqual({ tokens: 9, cost: 0.5 });
    expect(booked('cut', 0.3)).toEqual({ tokens: 9 });
    expect(booked('completed', 0.3)).toEqual({ tokens: 9, cost: 0.3 });
  });

  test('P11 tool data cannot hide text from the estimate by a false type; bytes of pictures do not count as text', () => {
    const hidden = { type: 'image', text: 'x'.repeat(8_000) };
    const picture = { type: 'image', mediaType: 'image/png', data: 'A'.repeat(8_000) } as const;
    const call = { type: 'tool-call', id: 'c', tool: 'a.b', argumentsText: '' } as const;
    const tokensOf = (parts: Message['parts'], changes: Partial<ProviderRequest> = {}) =>
      estimateInput({ system: '', messages: [{ id: 'm', role: 'user', parts }], tools: [], ...changes });
    const result = (content: ContentPart) =>
      tokensOf([{ type: 'tool-result', callId: 'c', outcome: 'success', content: [content] }]);
    for (const tokens of [
      result({ type: 'json', value: hidden }),
      tokensOf([{ ...call, arguments: hidden }]),
      tokensOf([{ ...call, arguments: {}, ranWith: hidden }]),
      tokensOf([], { tools: [{ name: 'a.b', description: '', parameters: hidden }] }),
      tokensOf([], { output: { schema: hidden } }),
      tokensOf([{ type: 'file', name: hidden.text, mediaType: 'application/pdf', data: '' }]) - 4_000,
    ])
      expect(tokens).toBeGreaterThan(2_000);
    for (const tokens of [result(picture), tokensOf([picture])]) {
      expect(tokens).toBeGreaterThan(1_000);
      expect(tokens).toBeLessThan(1_100);
    }
  });

  test('P15 AK-B12 a repeated request is refused with 409, while the first runs and after it', async () => {
    const held = gate();
    const provider = scriptedProvider([], { otherwise: say([held, 'Hi.']), validate: false });
    let user = 'u1';
    const ask = gateway(options({ provider, authorize: () => ({ user }) }));
    const answer = await ask(post(bodyOf(), key('one')));
    const again = await ask(post(bodyOf(), key('one')));
    expect([again.status, await again.json()]).toMatchObject([
      409,
      { error: { code: 'conflict', details: { request: 'running' } } },
    ]);
    held.open();
    await answer.text();
    expect(await (await ask(post(bodyOf(), key('one')))).json()).toMatchObject({
      error: { details: { request: 'done' } },
    });
    expect(provider.requests).toHaveLength(1);
    user = 'u2';
    expect((await ask(post(bodyOf(), key('one')))).status).toBe(200);
    expect((await ask(post(bodyOf(), key('x'.repeat(300))))).status).toBe(400);
  });

  test('lost answers and keys are forgotten after some time', async () => {
    const clock = createVirtualClock();
    const quotas = memoryQuotas({ clock });
    const claims = [{ name: 'concurrent', amount: 1, max: 1, spanMs: null }];
    const reserve = (name: string) => quotas.reserve({ user: 'u', key: name }, claims, 1_000);
    expect(await reserve('a')).toEqual({ ok: true });
    expect(await reserve('b')).toMatchObject({ ok: false, claim: 'concurrent' });
    await clock.advance(1_000);
    expect(await reserve('b')).toEqual({ ok: true });
    await quotas.settle({ user: 'u', key: 'b' }, {});
    expect(await reserve('b')).toEqual({ ok: false, seen: 'done' });
    await clock.advance(1_000);
    expect(await reserve('b')).toEqual({ ok: true });
    await quotas.settle({ user: 'nobody', key: 'b' }, {});
  });

  test('a reservation is kept for longer than an answer may take, so that its end is booked', async () => {
    const kept: number[] = [];
    const quotas: QuotaStore = {
      reserve: (_reservation, _claims, ttlMs) => (kept.push(ttlMs), { ok: true }),
      settle: () => {},
    };
    const ask = gateway(options({ quotas, policy: { free: true, maxAnswerMs: 5_000 } }));
    await (await ask(post())).text();
    expect(kept[0]).toBeGreaterThan(5_000);
  });

  test('P11 setting the clock back opens no new span', async () => {
    const virtual = createVirtualClock();
    let back = 0;
    const clock: Clock = {
      now: () => virtual.now() - back,
      monotonic: () => virtual.now(),
      schedule: (callback, ms) => virtual.schedule(callback, ms),
    };
    const quotas = memoryQuotas({ clock });
    const reserve = (name: string) =>
      quotas.reserve(
        { user: 'u', key: name },
        [{ name: 'rounds', amount: 1, max: 1, spanMs: 60_000 }],
        1_000,
      );
    expect(await reserve('a')).toEqual({ ok: true });
    back = 3_600_000;
    expect(await reserve('b')).toEqual({ ok: false, claim: 'rounds', waitMs: 60_000 });
    await virtual.advance(60_000);
    expect(await reserve('b')).toEqual({ ok: true });
  });

  test('a span of another length has separate amounts, and each answer is booked in the span in which it reserved', async () => {
    const clock = createVirtualClock();
    const quotas = memoryQuotas({ clock });
    const reserve = (name: string, spanMs: number) =>
      quotas.reserve({ user: 'u', key: name }, [{ name: 'tokens', amount: 10, max: 100, spanMs }], 1e9);
    expect(await reserve('a', 1_000)).toEqual({ ok: true });
    expect(await reserve('b', 5_000)).toEqual({ ok: true });
    await quotas.settle({ user: 'u', key: 'a' }, { tokens: 95 });
    await quotas.settle({ user: 'u', key: 'b' }, { tokens: 20 });
    expect(await reserve('c', 5_000)).toEqual({ ok: true });
    // The other span did not reset what was spent in this span.
    expect(await reserve('d', 1_000)).toMatchObject({ ok: false, claim: 'tokens', waitMs: 1_000 });
  });

  test('if a store fails, no request is served; if it cannot book, no report is lost', async () => {
    const errors: string[] = [];
    const reports: AnswerReport[] = [];
    const common = {
      onError: ({ error }: { error: unknown }) => void errors.push(String(error)),
      onUsage: (report: AnswerReport) => void reports.push(report),
    };
    const down = () => Promise.reject(new Error('redis is down'));
    const closed = gateway(options({ ...common, quotas: { reserve: down, settle: down } }));
    expect(await refusalOf(await closed(post()))).toEqual([500, 'server']);
    const half = gateway(options({ ...common, quotas: { reserve: () => ({ ok: true }), settle: down } }));
    await (await half(post())).text();
    await Promise.resolve();
    expect(errors).toEqual(['Error: redis is down', 'Error: redis is down']);
    expect(reports).toMatchObject([{ status: 'completed', user: 'u1', model: 'default' }]);
  });

  test.each([undefined, null, {}, 'OK', { ok: 'false' }, { ok: 1 }, { ok: null }])(
    "if a store's reply is invalid, no request is served, and the operator is told: %j",
    async (reply) => {
      const provider = scriptedProvider([], { otherwise: say('Hi.') });
      const errors: string[] = [];
      const quotas = { reserve: () => reply, settle: () => {} } as unknown as QuotaStore;
      const onError = ({ error }: { error: unknown }) => void errors.push(String(error));
      expect(await refusalOf(await gateway(options({ provider, quotas, onError }))(post()))).toEqual([
        500,
        'server',
      ]);
      expect(errors).toEqual([expect.stringContaining('QuotaStore')]);
      expect(provider.requests).toEqual([]);
    },
  );

  test.each([undefined, NaN, Infinity, '5'])(
    'an invalid wait from a store counts as unknown: %s',
    async (waitMs) => {
      const quotas = {
        reserve: () => ({ ok: false, claim: 'tokens', waitMs }),
        settle: () => {},
      } as unknown as QuotaStore;
      const response = await gateway(options({ quotas }))(post());
      expect(response.headers.get('retry-after')).toBeNull();
      expect(await response.json()).toMatchObject({ error: { code: 'quota', retry: 'after-action' } });
    },
  );
});

describe('quotas of agents', () => {
  const ceiling = { amount: 1_000, per: 'day' } as const;
  /** Sends requests of agents one after the other, and returns their statuses. */
  async function statusesOf(ask: ReturnType<typeof gateway>, ...agents: readonly (string | undefined)[]) {
    const statuses: number[] = [];
    for (const agent of agents) {
      const response = await ask(post(bodyOf(agent === undefined ? {} : { agent })));
      await response.text();
      statuses.push(response.status);
    }
    return statuses;
  }

  test('P11 the tokens of an agent are counted for the agent and for its user', async () => {
    const clock = createVirtualClock();
    // About 20 tokens are reserved for the input, and 100 for the answer.
    const provider = using({ inputTokens: 300, outputTokens: 100 });
    const policy: Policy = {
      free: true,
      maxTokens: { amount: 1_500, per: 'day' },
      maxOutputTokens: 100,
      agents: { scout: { maxTokens: ceiling }, writer: {} },
    };
    const reports: AnswerReport[] = [];
    const ask = gateway(options({ clock, provider, policy, onUsage: (report) => void reports.push(report) }));
    expect(await statusesOf(ask, 'scout', 'scout', 'scout', 'scout')).toEqual([200, 200, 200, 429]);
    const refused = await ask(post(bodyOf({ agent: 'scout' })));
    expect(refused.headers.get('retry-after')).toBe('86400');
    expect(await refused.json()).toMatchObject({
      error: { code: 'quota', details: { limit: 'maxTokens' } },
    });
    // 1,200 tokens of the user are spent.
    expect(await statusesOf(ask, 'writer', undefined)).toEqual([200, 429]);
    expect(reports.map(({ agent }) => agent)).toEqual(['scout', 'scout', 'scout', 'writer']);
    await clock.advance(86_400_000);
    expect(await statusesOf(ask, 'scout')).toEqual([200]);
  });

  test('P11 the requests and the cost of an agent have ceilings of their own, and other agents do not fill them', async () => {
    const priced = withPrice(using({ inputTokens: 100, outputTokens: 100 }), { input: 1_000, output: 1_000 });
    const policy: Policy = {
      free: true,
      agents: {
        scout: { roundsPerMinute: 2 },
        writer: { maxCost: { amount: 0.5, per: 'day', reserve: 0.2 } },
      },
    };
    const ask = gateway(options({ provider: priced, policy }));
    // Each answer costs 0.2.
    expect(await statusesOf(ask, 'writer', 'scout', 'writer', 'scout')).toEqual([200, 200, 200, 200]);
    const rounds = await ask(post(bodyOf({ agent: 'scout' })));
    expect(await rounds.json()).toMatchObject({
      error: { code: 'rate-limit', details: { limit: 'roundsPerMinute' } },
    });
    const cost = await ask(post(bodyOf({ agent: 'writer' })));
    expect(await cost.json()).toMatchObject({ error: { code: 'quota', details: { limit: 'maxCost' } } });
    expect(await statusesOf(ask, undefined)).toEqual([200]);
  });

  test('P11 an input that fills the ceiling of its agent is refused with 413, and of its user too', async () => {
    const provider = using(undefined);
    const policy: Policy = {
      free: true,
      maxTokens: ceiling,
      agents: { scout: { maxTokens: { amount: 5, per: 'day' } } },
    };
    const ask = gateway(options({ provider, policy }));
    expect(await statusesOf(ask, 'scout', undefined)).toEqual([413, 200]);
    const fitting = gateway(
      options({
        provider,
        policy: { ...policy, agents: { scout: { maxTokens: { amount: 100, per: 'day' } } } },
      }),
    );
    expect(await statusesOf(fitting, 'scout')).toEqual([200]);
    const last = (provider as ReturnType<typeof scriptedProvider>).requests.at(-1)!;
    expect(last.maxOutputTokens).toBe(100 - estimateInput(last));
  });

  test('P11 a store gets the claims of an agent with its id, and what each of them spent', async () => {
    const claims: unknown[] = [];
    const settled: unknown[] = [];
    const quotas: QuotaStore = {
      reserve: (_reservation, given) => {
        claims.push(...given.map(({ name, max }) => [name, max]));
        return { ok: true };
      },
      settle: (_reservation, spent) => void settled.push(spent),
    };
    const policy: Policy = {
      free: true,
      maxTokens: ceiling,
      agents: { scout: { maxTokens: { amount: 500, per: 'hour' }, roundsPerMinute: 3 } },
    };
    const provider = using({ inputTokens: 30, outputTokens: 10 });
    const entries: unknown[] = [];
    const log = ({ agent, status }: LogEntry) => void entries.push([agent, status]);
    expect(await statusesOf(gateway(options({ provider, policy, quotas, log })), 'scout')).toEqual([200]);
    await settle();
    expect(claims).toEqual([
      ['concurrent', 8],
      ['rounds', 60],
      ['tokens', 1_000],
      ['rounds@scout', 3],
      ['tokens@scout', 500],
    ]);
    expect(settled).toEqual([{ tokens: 40, 'tokens@scout': 40 }]);
    expect(entries).toEqual([['scout', 200]]);
  });
});
