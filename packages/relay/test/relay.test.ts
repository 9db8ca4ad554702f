import {
  isAgentSessionError,
  type AgentSessionError,
  type Clock,
  type ErrorCode,
  type JsonObject,
  type ProviderRequest,
} from '@banister/provider';
import { getEventListeners } from 'node:events';
import { createAgentSession, defineDomain, immediate } from '@banister/session';
import {
  callTools,
  createVirtualClock,
  gate,
  say,
  scriptedProvider,
  settle,
  spyTool,
  stall,
} from '@banister/testing';
import { describe, expect, test, vi } from 'vitest';
import { gateway, type GatewayOptions } from '@banister/gateway';
import { startByteServer, type Script } from '../../../test/kit/byte-server.js';
import { anyUser, serve, serveGateway } from '../../../test/kit/served-gateway.js';
import { relay, type RelayOptions } from '../src/index.js';
import { statedError } from '../src/stated-error.js';

const request: ProviderRequest = { system: '', messages: [], tools: [], idempotencyKey: 'k' };

/** A gateway without a socket, as the `fetch` of a relay. */
function through(options: GatewayOptions): typeof fetch {
  const handle = gateway(options);
  return (input, init) => handle(new Request(new URL(String(input), 'https://app.example'), init));
}

async function read(provider: ReturnType<typeof relay>, signal = new AbortController().signal) {
  const events: unknown[] = [];
  try {
    for await (const event of provider.stream(request, signal)) events.push(event);
    return { events, error: undefined };
  } catch (error) {
    if (!isAgentSessionError(error)) throw error;
    return { events, error };
  }
}

/** Reads an answer of a server that sends these bytes. */
async function answerTo(script: Script, options: RelayOptions = {}) {
  await using server = await startByteServer(script);
  const { events, error } = await read(relay(`${server.url}/agent`, options));
  return { events, error, arrivals: server.arrivals };
}

const lines = { 'content-type': 'application/x-ndjson; charset=utf-8' };
const json = { 'content-type': 'application/json' };
const codeOf = (error: AgentSessionError | undefined) => [error?.code, error?.retry];

describe('a session with a relay', () => {
  test('AK-B3 AK-B7 runs a turn with a tool, over a socket', async () => {
    const provider = scriptedProvider([
      callTools({ tool: 'board.add', args: { title: 'Milk' } }),
      say('Added.'),
    ]);
    await using server = await serveGateway({ provider, ...anyUser });
    const add = spyTool('add', { parameters: { type: 'object', properties: { title: { type: 'string' } } } });
    const session = createAgentSession({
      provider: relay(server.url),
      domains: [defineDomain({ id: 'board', tools: [add] })],
      ports: { scheduler: immediate() },
    });
    expect((await session.send('Add milk')).text).toBe('Added.');
    expect(add.runs.map(({ args }) => args)).toEqual([{ title: 'Milk' }]);
    await session.dispose();
  });

  test('sends a result with data as deep as a session keeps it', async () => {
    const nested = (levels: number): JsonObject => (levels === 1 ? {} : { of: nested(levels - 1) });
    const resultOf = async (levels: number) => {
      const provider = scriptedProvider([callTools({ tool: 'board.read' }), say('Read.')]);
      const session = createAgentSession({
        provider: relay('/agent', { fetch: through({ provider, ...anyUser }) }),
        domains: [defineDomain({ id: 'board', tools: [spyTool('read', { execute: () => nested(levels) })] })],
        ports: { scheduler: immediate() },
      });
      await session.send('Read it');
      return provider.requests[1]!.messages.at(-1)!.parts[0];
    };
    expect(await resultOf(199)).toMatchObject({ content: [{ type: 'json', value: nested(199) }] });
    expect(await resultOf(200)).toMatchObject({ outcome: 'unusable' });
  });

  test.each(['no such tool', 'a\nb', 'x'.repeat(300)])(
    'continues after a call of a tool that the model made up: %j',
    async (tool) => {
      const provider = scriptedProvider([callTools({ tool }), say('Sorry.'), say('Hi.')]);
      const session = createAgentSession({
        provider: relay('/agent', { fetch: through({ provider, ...anyUser }) }),
        ports: { scheduler: immediate() },
      });
      expect((await session.send('Act')).text).toBe('Sorry.');
      expect((await session.send('Hello')).text).toBe('Hi.');
      expect(provider.requests[2]!.messages[1]!.parts[0]).toMatchObject({ type: 'tool-call', tool });
    },
  );

  test('returns the reasoning of the model to it, sealed on its way', async () => {
    const provider = scriptedProvider([
      callTools(
        { type: 'thinking', delta: 'Hm.', signature: 'signed' },
        { type: 'opaque', data: 'own' },
        { tool: 'board.add' },
      ),
      say('Added.'),
    ]);
    const session = createAgentSession({
      provider: relay('/agent', { fetch: through({ provider, ...anyUser }) }),
      domains: [defineDomain({ id: 'board', tools: [spyTool('add')] })],
      ports: { scheduler: immediate() },
    });
    await session.send('Add');
    expect(JSON.stringify(session.save())).toContain('sealed1.');
    expect(JSON.stringify(session.save())).not.toMatch(/"signed"|"own"/);
    expect(provider.requests[1]?.messages[1]?.parts).toMatchObject([
      { type: 'thinking', text: 'Hm.', signature: 'signed', signedBy: 'scripted' },
      { type: 'opaque', provider: 'scripted', data: 'own' },
      { type: 'tool-call' },
    ]);
    await session.dispose();
  });

  test('offline, only the session retries a turn, which continues when the network is back', async () => {
    const provider = scriptedProvider([say('Here again.')]);
    const there = through({ provider, ...anyUser });
    const keys: string[] = [];
    const flaky: typeof fetch = (input, init) => {
      if (init?.method === 'POST') keys.push(new Headers(init.headers).get('idempotency-key')!);
      return keys.length < 3 ? Promise.reject(new TypeError('Failed to fetch')) : there(input, init);
    };
    const clock = createVirtualClock();
    const session = createAgentSession({
      provider: relay('/agent', { fetch: flaky }),
      ports: { scheduler: immediate(), clock, random: () => 0 },
    });
    const turn = session.send('Hello');
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(session.lastOutcome.value).not.toBeNull();
    }, 30_000);
    expect((await turn).text).toBe('Here again.');
    // Each attempt has a different key, because the gateway would refuse a known key.
    expect(new Set(keys).size).toBe(3);
    expect(provider.requests).toHaveLength(1);
    await session.dispose();
  });

  test('waits for a quota of the user as long as the gateway says', async () => {
    const waits: (number | undefined)[] = [];
    const clock = createVirtualClock();
    const options = { ...anyUser, provider: scriptedProvider([], { otherwise: say('Hi.') }), clock };
    const fetch = through({ ...options, policy: { free: true, roundsPerMinute: 1 } });
    const session = createAgentSession({
      provider: relay('/agent', { fetch }),
      ports: { scheduler: immediate(), clock },
      limits: { timeoutMs: 600_000 },
    });
    session.operations$.subscribe((one) => one.type === 'retrying' && waits.push(one.delayMs));
    await session.send('One');
    const second = session.send('Two');
    await vi.waitFor(() => expect(waits).toHaveLength(1), 30_000);
    await clock.advance(60_000);
    expect((await second).text).toBe('Hi.');
    expect(waits).toEqual([60_000]);
    await session.dispose();
  });
});

describe('features', () => {
  test('AK-B9 AK-B13 are conservative until they are known from a single request', async () => {
    let gets = 0;
    const there = through({ provider: scriptedProvider([], { contextWindow: 128_000 }), ...anyUser });
    const fetch: typeof globalThis.fetch = (input, init) => {
      gets += init?.method === 'GET' ? 1 : 0;
      return there(input, init);
    };
    const provider = relay('/agent', { fetch });
    expect(gets).toBe(0);
    expect(provider.capabilities).toEqual({
      images: false,
      pdfs: false,
      toolChoices: [],
      structuredOutput: false,
    });
    expect(await provider.ready()).toMatchObject({ images: true, pdfs: true, contextWindow: 128_000 });
    expect(provider.capabilities).toBe(await provider.ready());
    expect(gets).toBe(1);
  });

  test('of an alias are the features of its model', async () => {
    const provider = { default: scriptedProvider([]), blind: scriptedProvider([], { images: false }) };
    const fetch = through({ provider, ...anyUser });
    expect((await relay('/agent?a=1', { model: 'blind', fetch }).ready()).images).toBe(false);
    expect((await relay('/agent', { fetch }).ready()).images).toBe(true);
    await expect(relay('/agent', { model: 'other', fetch }).ready()).rejects.toMatchObject({ code: 'model' });
  });

  test('that could not be fetched are requested again, without an unhandled rejection', async () => {
    let isUp = false;
    const there = through({ provider: scriptedProvider([]), ...anyUser });
    const fetch: typeof globalThis.fetch = (input, init) =>
      isUp ? there(input, init) : Promise.reject(new TypeError('Failed to fetch'));
    const provider = relay('/agent', { fetch });
    expect(provider.capabilities.images).toBe(false);
    await expect(provider.ready()).rejects.toMatchObject({ code: 'network' });
    isUp = true;
    expect((await provider.ready()).images).toBe(true);
  });

  test('that could not be fetched are requested at most once in five seconds', async () => {
    let gets = 0;
    let back = 0;
    const virtual = createVirtualClock();
    const clock: Clock = {
      now: () => virtual.now() - back,
      monotonic: () => virtual.now(),
      schedule: (callback, ms) => virtual.schedule(callback, ms),
    };
    const fetch = () => (gets++, Promise.reject(new TypeError('Failed to fetch')));
    const provider = relay('/agent', { fetch, clock });
    for (let i = 0; i < 3; i++) {
      expect(provider.capabilities.images).toBe(false);
      await settle();
    }
    expect(gets).toBe(1);
    // The clock of the machine is set back meanwhile.
    back = 3_600_000;
    await virtual.advance(4_999);
    expect(provider.capabilities.images).toBe(false);
    await settle();
    expect(gets).toBe(1);
    await virtual.advance(1);
    expect(provider.capabilities.images).toBe(false);
    await settle();
    expect(gets).toBe(2);
    expect(virtual.pending).toBe(0);
  });

  test.each(['fetch', 'headers'])(
    'that never arrive count as a lost connection: with a hanging %s',
    async (way) => {
      const clock = createVirtualClock();
      const hang = () => new Promise<never>(() => {});
      const there = through({ provider: scriptedProvider([]), ...anyUser });
      const provider = relay(
        '/agent',
        way === 'fetch' ? { fetch: hang, clock } : { fetch: there, headers: hang, clock },
      );
      let error: unknown;
      provider.ready().catch((reason: unknown) => (error = reason));
      await clock.advance(45_000);
      expect(error).toMatchObject({ code: 'network', retry: 'now' });
      expect(clock.pending).toBe(0);
    },
  );

  test('audit-AD-1 errors of the network name the address of the gateway, without secrets', async () => {
    const unreachable = () => Promise.reject(new TypeError('fetch failed'));
    const url = 'https://me:secret-word@ai.example/agent?key=opensesame';
    const failed = {
      code: 'network',
      message: 'The gateway at https://ai.example/agent could not be reached.',
      details: { address: 'https://ai.example/agent' },
    };
    const provider = relay(url, { fetch: unreachable });
    expect(provider.server).toBe('https://ai.example/agent');
    expect((await read(provider)).error).toMatchObject(failed);
    await expect(provider.ready()).rejects.toMatchObject(failed);
    // `fetch` refuses credentials in an address, and repeats them in its error.
    const { error } = await read(relay(url));
    expect(error).toMatchObject(failed);
    expect(String((error?.cause as Error).message)).not.toMatch(/secret-word|opensesame/);
    // A gateway that cannot reach its model, and a server in front of it.
    const stated = { code: 'network', message: 'No.', retry: 'now', details: { status: 502 } };
    for (const body of [{ error: stated }, {}]) {
      const refuse = () => Promise.resolve(Response.json(body, { status: 502 }));
      const refused = (await read(relay('/agent', { fetch: refuse }))).error;
      expect(refused).toMatchObject({ code: 'network', details: { address: '/agent' } });
    }
    const line = `${JSON.stringify({ type: 'error', error: stated })}\n`;
    const answer = () => Promise.resolve(new Response(line, { headers: lines }));
    expect((await read(relay('/agent', { fetch: answer }))).error?.details).toEqual({
      status: 502,
      address: '/agent',
    });
  });

  test('are refused from a page that is not a gateway', async () => {
    const fetch = () => Promise.resolve(new Response('<html>'));
    await expect(relay('/agent', { fetch }).ready()).rejects.toMatchObject({ code: 'server' });
  });
});

describe('an answer', () => {
  const hi = '{"type":"text","delta":"Hi."}\n';
  const finish = '{"type":"finish","reason":"stop"}\n';

  test('is read completely, no matter how its bytes are divided', async () => {
    const body = `\n${hi}\r\n\n{"type":"text","delta":"Grüße 🌍"}\r\n${finish}`;
    const { events } = await answerTo({ body, headers: lines, chunkSize: 1 });
    expect(events).toEqual([
      { type: 'text', delta: 'Hi.' },
      { type: 'text', delta: 'Grüße 🌍' },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  test('that just ends has no finish, and a cut line is not an event', async () => {
    const { events, error } = await answerTo({ body: `${hi}${finish.trimEnd()}`, headers: lines });
    expect([events, error]).toEqual([[{ type: 'text', delta: 'Hi.' }], undefined]);
  });

  test('that breaks off is interrupted; after its finish nothing is lost', async () => {
    const broken = await answerTo({ body: hi, headers: lines, end: 'reset' });
    expect(codeOf(broken.error)).toEqual(['interrupted', 'now']);
    const whole = await answerTo({ body: `${hi}${finish}`, headers: lines, end: 'reset' });
    expect([whole.events.length, whole.error]).toEqual([2, undefined]);
  });

  test('audit-R5 after its finish, the end is awaited for at most three seconds, regardless of keep-alives', async () => {
    const clock = createVirtualClock();
    const usage = { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } };
    let give!: (text: string) => void;
    let isLeft = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (give = (text) => controller.enqueue(new TextEncoder().encode(text))),
      cancel: () => void (isLeft = true),
    });
    const fetch = () => Promise.resolve(new Response(body, { headers: lines }));
    const reading = read(relay('/agent', { fetch, clock }));
    await clock.advance(0);
    give(hi + finish);
    for (let ms = 0; ms < 3_000; ms += 500) {
      await clock.advance(500);
      if (!isLeft) give(ms % 1_000 === 0 ? '\n' : `${JSON.stringify(usage)}\n`);
    }
    await clock.advance(0);
    expect(isLeft).toBe(true);
    const { events, error } = await reading;
    expect(error).toBe(undefined);
    expect(events).toContainEqual(usage);
    expect(clock.pending).toBe(0);
  });

  test('has lines of at most 64 MB, and leaves no listener on its signal', async () => {
    const piece = new Uint8Array(1024 * 1024).fill(120);
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (pieces++, controller.enqueue(piece)),
    });
    const { signal } = new AbortController();
    const fetch = () => Promise.resolve(new Response(body, { headers: lines }));
    const { error } = await read(relay('/agent', { fetch }), signal);
    expect(error?.code).toBe('network');
    expect(pieces).toBeLessThan(70);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('has its content type in any letter case', async () => {
    const headers = { 'content-type': 'Application/X-NDJSON' };
    expect((await answerTo({ body: `${hi}${finish}`, headers })).events).toHaveLength(2);
  });

  test('with another content type is refused, and the error names the content type', async () => {
    const page = await answerTo({ body: '<html>', headers: { 'content-type': 'text/html' } });
    expect(codeOf(page.error)).toEqual(['server', 'after-action']);
    expect(page.error?.details).toEqual({ contentType: 'text/html' });
    expect((await answerTo({ body: '{"type":\n', headers: lines })).error?.code).toBe('server');
    expect((await answerTo({ body: '7\n', headers: lines })).error?.code).toBe('server');
  });

  test.each([
    [401, {}, ['auth', 'after-action']],
    [413, {}, ['context-length', 'after-action']],
    [429, { 'retry-after': '3' }, ['rate-limit', { afterMs: 3_000 }]],
    [502, {}, ['network', 'now']],
    [503, {}, ['overloaded', 'now']],
    [500, {}, ['server', 'now']],
    [302, { location: '/login' }, ['auth', 'after-action']],
  ])(
    'of a server in front of the gateway, with the status %i, has an error code',
    async (status, headers, expected) => {
      const { error, arrivals } = await answerTo({
        status,
        body: '<html>',
        headers: { 'content-type': 'text/html', ...headers },
      });
      expect(codeOf(error)).toEqual(expected);
      expect(arrivals).toHaveLength(1);
    },
  );

  test('of a server in front of the gateway may state its wait as a date', async () => {
    const retryOf = async (date: string) =>
      (await answerTo({ status: 503, body: '', headers: { 'retry-after': date } })).error?.retry;
    const { afterMs } = (await retryOf(new Date(Date.now() + 600_000).toUTCString())) as { afterMs: number };
    expect(afterMs).toBeGreaterThan(500_000);
    expect(afterMs).toBeLessThanOrEqual(600_000);
    expect(await retryOf('Thu, 01 Jan 1970 00:00:00 GMT')).toEqual({ afterMs: 0 });
    for (const odd of ['soon', '-1']) expect(await retryOf(odd)).toBe('now');
  });

  test('that the gateway refuses has the error of its body, however unusual', async () => {
    const refused = (error: unknown) =>
      answerTo({ status: 400, body: JSON.stringify({ error }), headers: json });
    const whole = {
      code: 'quota',
      message: 'Used up.',
      retry: { afterMs: 5 },
      details: { limit: 'maxTokens' },
    };
    expect((await refused(whole)).error?.toJSON()).toEqual(whole);
    for (const odd of [null, 1, 'x', [], { code: 1, message: {}, retry: 7, details: 3 }])
      expect((await refused(odd)).error?.toJSON()).toMatchObject({ code: 'server', details: {} });
  });

  test('of another server, whose error has another shape, has the error code for its status, and its wait', async () => {
    const whole = { code: 'quota', message: 'Used up.', retry: 'now', details: {} };
    for (const error of [
      { code: 'insufficient_quota', message: 'You have no credit.', type: 'insufficient_quota', param: null },
      { ...whole, retry: undefined },
      { ...whole, retry: 'soon' },
      { ...whole, retry: { afterMs: -1 } },
      { ...whole, retry: { afterMs: null } },
      { ...whole, retry: { afterMs: '5' } },
      { ...whole, details: [] },
      { ...whole, message: 7 },
      { ...whole, code: 'insufficient_quota' },
    ]) {
      const script = {
        status: 429,
        body: JSON.stringify({ error }),
        headers: { ...json, 'retry-after': '3' },
      };
      expect((await answerTo(script)).error?.toJSON()).toEqual({
        code: 'rate-limit',
        message: 'The gateway refused the request.',
        retry: { afterMs: 3_000 },
        details: {},
      });
    }
  });

  test('may have the error codes of providers and gateways; codes of a session are not accepted', () => {
    // A record, so that every new error code needs a decision here.
    const travels: { readonly [C in ErrorCode]: boolean } = {
      'already-running': false,
      'invalid-input': true,
      'invalid-configuration': true,
      unsupported: true,
      'unreadable-attachment': true,
      'nothing-to-retry': false,
      'nothing-to-undo': false,
      'nothing-to-resume': false,
      conflict: true,
      'undo-failed': false,
      cancelled: true,
      'max-rounds': false,
      'max-tool-calls': false,
      'max-calls-per-answer': false,
      'max-children': false,
      'max-depth': false,
      timeout: true,
      'token-budget': false,
      'cost-budget': false,
      'repeated-call': false,
      'egress-refused': true,
      'tool-choice-not-honored': true,
      'structured-output-invalid': true,
      'tool-escalated': false,
      'provider-contract': true,
      interrupted: true,
      auth: true,
      model: true,
      'rate-limit': true,
      quota: true,
      'context-length': true,
      refused: true,
      overloaded: true,
      network: true,
      server: true,
      storage: false,
      disposed: false,
    };
    for (const [code, isPassed] of Object.entries(travels)) {
      const { code: seen } = statedError({ code, message: '', retry: 'never', details: {} }, 'server');
      expect(seen).toBe(isPassed ? code : 'server');
    }
  });

  test('counts as lost after a long silence, before the first byte and in the middle; keep-alives end a silence', async () => {
    const clock = createVirtualClock();
    const encoder = new TextEncoder();
    let push: (text: string) => void = () => {};
    let isClosed = false;
    const body = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => void (push = (text) => controller.enqueue(encoder.encode(text))),
        cancel: () => void (isClosed = true),
      });
    const fetch: typeof globalThis.fetch = (_input, init) =>
      init?.headers && new Headers(init.headers).has('x-hang')
        ? new Promise((_resolve, reject) =>
            init.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
          )
        : Promise.resolve(new Response(body(), { headers: lines }));

    const hanging = read(relay('/agent', { fetch, clock, headers: { 'x-hang': '1' } }));
    let isLost = false;
    void hanging.then(() => (isLost = true));
    // A request with pictures takes long to send.
    await clock.advance(179_999);
    expect(isLost).toBe(false);
    await clock.advance(1);
    expect(codeOf((await hanging).error)).toEqual(['network', 'now']);

    const answer = read(relay('/agent', { fetch, clock }));
    await settle();
    for (let i = 0; i < 5; i++) {
      await clock.advance(44_000);
      push('\n');
    }
    push(hi);
    await clock.advance(45_000);
    const { events, error } = await answer;
    expect(events).toHaveLength(1);
    expect(codeOf(error)).toEqual(['network', 'now']);
    expect(isClosed).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test('a slow reader does not count as a silence of the connection', async () => {
    const clock = createVirtualClock();
    let push: (text: string) => void = () => {};
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (push = (text) => controller.enqueue(new TextEncoder().encode(text))),
    });
    const fetch = () => Promise.resolve(new Response(body, { headers: lines }));
    const { signal } = new AbortController();
    const answer = relay('/agent', { fetch, clock }).stream(request, signal)[Symbol.asyncIterator]();
    const first = answer.next();
    await settle();
    push(hi + hi);
    expect((await first).value).toMatchObject({ type: 'text' });
    await clock.advance(600_000);
    expect((await answer.next()).value).toMatchObject({ type: 'text' });
    await clock.advance(600_000);
    const third = answer.next();
    await clock.advance(44_000);
    push(hi);
    expect((await third).value).toMatchObject({ type: 'text' });
    const lost = answer.next().catch((error: unknown) => error);
    await clock.advance(45_000);
    expect(await lost).toMatchObject({ code: 'network' });
    expect(clock.pending).toBe(0);
  });

  test('can be read for two more seconds after the machine slept', async () => {
    const clock = createVirtualClock();
    let jump = 0;
    const moved = () => clock.now() + jump;
    const sleeping = { ...clock, now: moved, monotonic: moved, schedule: clock.schedule.bind(clock) };
    let push: (text: string) => void = () => {};
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (push = (text) => controller.enqueue(new TextEncoder().encode(text))),
    });
    const fetch = () => Promise.resolve(new Response(body, { headers: lines }));
    const answer = read(relay('/agent', { fetch, clock: sleeping }));
    await settle();
    jump = 3_600_000;
    await clock.advance(45_000);
    push(hi);
    await clock.advance(2_000);
    push(finish);
    await clock.advance(45_000);
    expect((await answer).events).toHaveLength(2);
  });

  test('is closed at the model within a second after its reader has left', async () => {
    const provider = scriptedProvider([stall('Once')], { validate: false });
    await using server = await serveGateway({ provider, ...anyUser });
    const client = new AbortController();
    const answer = read(relay(server.url), client.signal);
    await vi.waitFor(() => expect(provider.streams[0]?.emitted).toBe(1), 30_000);
    const left = performance.now();
    client.abort();
    expect((await answer).error?.code).toBe('cancelled');
    await vi.waitFor(() => expect(provider.streams[0]?.closed).toBe(true), { interval: 5, timeout: 30_000 });
    expect(performance.now() - left).toBeLessThan(1_000);
  });
});

describe('a request', () => {
  test('AK-B8 AK-B11 has the headers of the app, computed each time, and by default no cookies to another site', async () => {
    const sent: RequestInit[] = [];
    const fetch: typeof globalThis.fetch = (_input, init) => {
      sent.push(init!);
      return Promise.resolve(new Response('', { headers: lines }));
    };
    let token = 0;
    const provider = relay('/agent', {
      fetch,
      headers: async () => ({ authorization: `Bearer ${++token}`, 'content-type': 'x' }),
    });
    await read(provider);
    await read(provider);
    const headers = sent.map((init) => new Headers(init.headers));
    expect(headers.map((one) => one.get('authorization'))).toEqual(['Bearer 1', 'Bearer 2']);
    expect(headers[0]?.get('content-type')).toBe('application/json');
    expect(sent[0]).toMatchObject({ credentials: 'same-origin', redirect: 'manual', cache: 'no-store' });
  });

  test('is sent from a page without https too, where `crypto.randomUUID` is missing, with a different key each time', async () => {
    const keys: string[] = [];
    const fetch: typeof globalThis.fetch = (_input, init) => {
      keys.push(new Headers(init?.headers).get('idempotency-key')!);
      return Promise.resolve(new Response('{"type":"finish","reason":"stop"}\n', { headers: lines }));
    };
    const secure = Object.getOwnPropertyDescriptor(Crypto.prototype, 'randomUUID')!;
    Object.defineProperty(Crypto.prototype, 'randomUUID', { configurable: true, value: undefined });
    try {
      for (let i = 0; i < 3; i++)
        expect(await read(relay('/agent', { fetch }))).toMatchObject({ error: undefined });
    } finally {
      Object.defineProperty(Crypto.prototype, 'randomUUID', secure);
    }
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^[\w-]{20,200}$/);
  });

  test('fails without being sent if its headers cannot be computed', async () => {
    let sent = 0;
    const fetch = () => Promise.resolve(new Response(String(sent++)));
    const { error } = await read(
      relay('/agent', { fetch, headers: () => Promise.reject(new Error('signed out')) }),
    );
    expect([codeOf(error), error?.message, sent]).toEqual([
      ['auth', 'after-action'],
      'The option headers failed or returned invalid headers.',
      0,
    ]);
    const ready = relay('/agent', { fetch, headers: () => Promise.reject(new Error('signed out')) }).ready();
    await expect(ready).rejects.toMatchObject({ code: 'auth' });
  });

  test.each(['fetch', 'headers'])('ends by its signal and by a silence if its %s hangs', async (way) => {
    const clock = createVirtualClock();
    let sent = 0;
    const held = gate();
    const fetch = () => (
      sent++,
      way === 'fetch' ? new Promise<never>(() => {}) : Promise.resolve(new Response(''))
    );
    const headers = way === 'fetch' ? {} : () => held.pass().then(() => ({}));
    const silent = read(relay('/agent', { fetch, headers, clock }));
    await clock.advance(180_000);
    expect(codeOf((await silent).error)).toEqual(['network', 'now']);
    const client = new AbortController();
    const left = read(relay('/agent', { fetch, headers, clock }), client.signal);
    await settle();
    client.abort();
    expect((await left).error?.code).toBe('cancelled');
    held.open();
    await settle();
    // If the headers arrive too late, nothing is sent.
    expect(sent).toBe(way === 'fetch' ? 2 : 0);
    expect(clock.pending).toBe(0);
  });

  test('that hangs in the gateway ends with its signal, and leaves no listener', async () => {
    const held = gate();
    await using server = await serve(() => held.pass());
    const client = new AbortController();
    const answer = read(relay(server.url), client.signal);
    await vi.waitFor(() => expect(server.openSockets()).toBe(1), 30_000);
    client.abort();
    expect((await answer).error?.code).toBe('cancelled');
    held.open();
  });
});
