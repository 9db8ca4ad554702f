import fc from 'fast-check';
import { createVirtualClock } from '@banister/testing';
import { describe, expect, test, vi } from 'vitest';
import { propertyRun } from '../../../test/kit/property-run.js';
import { gateway, type GatewayOptions, type Policy } from '../src/index.js';
import {
  address,
  answering,
  bodyOf,
  handle,
  linesOf,
  options,
  post,
  refusalOf,
  textOf,
  userText,
} from './ask.js';

const free: Policy = { free: true };

describe('a gateway that is made', () => {
  test('P7 `gateway()` throws without `authorize`; it can be open only outside of production', () => {
    expect(() => gateway({ provider: answering() })).toThrow(/needs authorize/);
  });

  test('P7 open: "localhost" is refused in production, and beside authorize', () => {
    const { NODE_ENV } = process.env;
    process.env['NODE_ENV'] = 'production';
    try {
      expect(() => gateway({ provider: answering(), open: 'localhost' })).toThrow(/for development/);
    } finally {
      process.env['NODE_ENV'] = NODE_ENV;
    }
    expect(() => gateway(options({ open: 'localhost' }))).toThrow(/not both/);
  });

  test.each([
    ['a list of origins with "*"', { cors: ['*'] }, /no origin/],
    ['an origin with a path', { cors: ['https://app.example/'] }, /no origin/],
    ['an unknown option', { authorise: () => null }, /no option authorise/],
    ['a short secret', { seal: 'short' }, /32 characters/],
    ['no secret', { seal: [] }, /32 characters/],
    ['a policy without role and tools', { policy: {} }, /free: true/],
    ['a policy with a role alone', { policy: { role: 'You help.' } }, /free: true/],
    ['a misspelt field of a policy', { policy: { ...free, maxtokens: 1 } }, /no field maxtokens/],
    ['a ceiling without a span', { policy: { ...free, maxTokens: { amount: 1 } } }, /maxTokens.per/],
    ['a ceiling of nothing', { policy: { ...free, concurrent: 0 } }, /above 0/],
    ['no provider', { provider: {} }, /needs a provider/],
    ['an alias without a provider', { provider: { a: 1 } }, /alias "a"/],
    ['another value of open', { open: 'everywhere' }, /"localhost"/],
  ])('refuses %s', (_name, changes, message) => {
    expect(() => gateway(options(changes as unknown as Partial<GatewayOptions>))).toThrow(message);
  });

  test('warns about seals that a restart loses, unless that is asked for', () => {
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    gateway(options({ seal: undefined, warn }));
    gateway(options({ seal: 'per-process', warn }));
    gateway(options({ seal: 'x'.repeat(32), warn }));
    expect(warnings).toEqual([expect.stringContaining('without the option "seal"')]);
  });
});

describe('who asks', () => {
  test('an unknown user is refused with 401, before the body is read', async () => {
    const request = post();
    expect(await refusalOf(await handle({ authorize: () => null })(request))).toEqual([401, 'auth']);
    expect(request.bodyUsed).toBe(false);
  });

  test('if `authorize` throws, or returns no policy, no request is served, and only the operator learns why', async () => {
    const errors: unknown[] = [];
    const onError = ({ error }: { error: unknown }) => void errors.push(String(error));
    const throwing = handle({
      authorize: () => {
        throw new Error('the database of secrets is down');
      },
      onError,
    });
    const response = await throwing(post());
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain('database');
    expect(await refusalOf(await handle({ policy: undefined, onError })(post()))).toEqual([500, 'server']);
    expect(errors).toEqual([expect.stringContaining('database'), expect.stringContaining('no policy')]);
  });

  test.each([
    ['a page of another site', { origin: 'https://evil.example' }, 403],
    ['a page without an origin of its own', { origin: 'null' }, 403],
    ['a page of an allowed origin', { origin: 'https://other.example' }, 200],
    ['the own page', { origin: 'https://app.example', host: 'app.example' }, 200],
    [
      'the own page behind a proxy with another name',
      { origin: 'https://www.example', 'sec-fetch-site': 'same-origin' },
      200,
    ],
    ['a program', {}, 200],
    [
      'audit-X9 a page that the browser calls one of another site, with a host of the same name',
      { origin: 'http://app.example', host: 'app.example', 'sec-fetch-site': 'cross-site' },
      403,
    ],
    [
      'audit-X9 a page of the same site, with a host of the same name',
      { origin: 'http://app.example', host: 'app.example', 'sec-fetch-site': 'same-site' },
      403,
    ],
  ])('P8 the origin decides: %s', async (_name, headers, status) => {
    const response = await handle({ cors: ['https://other.example'] })(
      post(bodyOf(), headers as Record<string, string>),
    );
    expect(response.status).toBe(status);
    await response.body?.cancel();
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])(
    'P8 a body of the type "%s", which a form of another site can send, is refused',
    async (type) => {
      const response = await handle()(post(bodyOf(), { 'content-type': type }));
      expect(await refusalOf(response)).toEqual([415, 'invalid-input']);
    },
  );

  test('P7 only an allowed origin may read an answer, and its preflight names the headers it asks for', async () => {
    const ask = handle({ cors: ['https://other.example'] });
    const preflight = (origin: string) =>
      ask(
        new Request(address, {
          method: 'OPTIONS',
          headers: { origin, 'access-control-request-headers': 'content-type, x-session' },
        }),
      );
    const allowed = await preflight('https://other.example');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://other.example');
    expect(allowed.headers.get('access-control-allow-headers')).toBe('content-type, x-session');
    const foreign = await preflight('https://evil.example');
    expect(foreign.status).toBe(403);
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    const answer = await ask(post(bodyOf(), { origin: 'https://other.example' }));
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://other.example');
    expect(answer.headers.get('vary')).toBe('origin');
    await answer.body?.cancel();
  });

  test.each([
    ['http://localhost:8787/', undefined, 200],
    ['http://127.0.0.1:8787/', 'http://localhost:5173', 200],
    ['http://[::1]:8787/', 'http://[::1]:5173', 200],
    ['http://app.localhost:8787/', undefined, 200],
    ['http://evil.example:8787/', undefined, 403],
    ['http://127.0.0.1.evil.example/', undefined, 403],
    ['http://localhost:8787/', 'http://evil.example', 403],
    ['http://localhost:8787/', 'http://localhost.evil.example', 403],
    ['http://localhost:8787/', 'null', 403],
  ])('P7 P8 open: "localhost" answers %s from %s with %i', async (url, origin, status) => {
    const ask = gateway({ provider: answering(), open: 'localhost', seal: 'per-process' });
    const headers = {
      'content-type': 'application/json',
      host: new URL(url).host,
      ...(origin ? { origin } : {}),
    };
    const response = await ask(new Request(url, { method: 'POST', headers, body: JSON.stringify(bodyOf()) }));
    expect(response.status).toBe(status);
    // A page of this machine has another port, but may still read the answer.
    expect(response.headers.get('access-control-allow-origin')).toBe(
      status === 200 ? (origin ?? null) : null,
    );
    await response.body?.cancel();
  });
});

describe('an open gateway', () => {
  const ask = async (headers: Record<string, string>) => {
    const handler = gateway({ provider: answering(), open: 'localhost', seal: 'per-process' });
    const response = await handler(post(bodyOf(), { host: 'localhost:3000', ...headers }));
    await response.body?.cancel();
    return response.status;
  };

  test.each([
    ['x-forwarded-for', '203.0.113.7'],
    ['x-forwarded-for', '127.0.0.1, 203.0.113.7'],
    ['x-forwarded-host', 'board.tunnel.example'],
    ['x-original-host', 'board.tunnel.example'],
    ['x-real-ip', '203.0.113.7'],
    ['cf-connecting-ip', '2001:db8::1'],
    ['forwarded', 'for=203.0.113.7'],
    ['via', '1.1 tunnel'],
  ])('audit-X9 refuses requests that a tunnel forwards with a local Host: %s %s', async (name, value) => {
    expect(await ask({ [name]: value })).toBe(403);
  });

  test.each([
    ['x-forwarded-for', '::1'],
    ['x-forwarded-for', '::ffff:127.0.0.1'],
    ['x-forwarded-host', 'localhost:3000'],
    ['x-forwarded-proto', 'http'],
  ])(
    'audit-X9 answers behind a development server, whose headers name this machine: %s %s',
    async (name, value) => {
      expect(await ask({ [name]: value })).toBe(200);
    },
  );
});

describe('the id of a user', () => {
  test('audit-X9 has a maximum length', async () => {
    for (const [length, status] of [
      [512, 200],
      [513, 401],
      [50_000, 401],
    ] as const) {
      const response = await handle({ authorize: () => ({ user: 'u'.repeat(length) }) })(post());
      expect([length, response.status]).toEqual([length, status]);
      await response.body?.cancel();
    }
  });
});

describe('valid and unknown requests', () => {
  test.each(['HEAD', 'PUT', 'DELETE', 'PATCH'])('P16 %s is refused with 405', async (method) => {
    const response = await handle()(new Request(address, { method }));
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST, OPTIONS');
  });

  test('the health of the gateway needs no user, and reveals nothing else', async () => {
    const response = await handle({ authorize: () => null })(new Request(`${address}/health`));
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });

  test('users of an alias can read its features', async () => {
    const provider = { default: answering(), hidden: answering() };
    const ask = handle({ provider, policy: { ...free, models: ['default'] } });
    const response = await ask(new Request(`${address}?model=default`));
    expect(await response.json()).toMatchObject({
      version: 1,
      model: 'default',
      capabilities: { images: true, pdfs: true },
    });
    expect(await refusalOf(await ask(new Request(`${address}?model=hidden`)))).toEqual([404, 'model']);
    expect(await refusalOf(await ask(new Request(`${address}?model=constructor`)))).toEqual([404, 'model']);
    expect(await refusalOf(await handle({ authorize: () => null })(new Request(address)))).toEqual([
      401,
      'auth',
    ]);
  });

  test('an answer is NDJSON, or server-sent events if only these are accepted', async () => {
    const plain = await handle()(post());
    expect(plain.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(textOf(await linesOf(plain))).toBe('Hi there.');
    const events = await handle()(post(bodyOf(), { accept: 'text/event-stream' }));
    expect(events.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await events.text()).toBe(
      ':\n\ndata: {"type":"text","delta":"Hi there."}\n\ndata: {"type":"finish","reason":"stop"}\n\n',
    );
  });
});

describe('bodies', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  const part = (one: Record<string, unknown>, role = 'user') =>
    bodyOf({ messages: [{ id: 'm', role, parts: [one] }] });

  test.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['null', 'null'],
    ['another version', bodyOf({ version: 2 })],
    ['an absent field', { version: 1 }],
    ['P9 JSON that is nested deeply', JSON.stringify(bodyOf()).replace('[]', nested(10_000))],
    ['P9 "__proto__"', JSON.stringify(bodyOf()).replace('"tools":[]', '"tools":[],"__proto__":{"a":1}')],
    ['P9 "__proto__", escaped', JSON.stringify(bodyOf()).replace('[]', '[],"\\u005f_proto__":{"a":1}')],
    ['P10 n', bodyOf({ n: 8 })],
    ['P10 store', bodyOf({ store: true })],
    ['P10 extraBody', bodyOf({ extraBody: { store: true } })],
    ['P10 a tool of the server', bodyOf({ tools: [{ type: 'web_search' }] })],
    [
      'P10 a type beside a tool',
      bodyOf({ tools: [{ name: 'a.b', description: '', parameters: {}, type: 'x' }] }),
    ],
    ['P1 a base URL', bodyOf({ baseURL: 'https://evil.example' })],
    ['P1 api_base', bodyOf({ api_base: 'https://evil.example' })],
    ['P4 headers', bodyOf({ headers: { authorization: 'x' } })],
    ['a message of the system', bodyOf({ messages: [{ id: 'm', role: 'system', parts: [] }] })],
    ['a message of the developer', bodyOf({ messages: [{ id: 'm', role: 'developer', parts: [] }] })],
    ['a field of a message', bodyOf({ messages: [{ id: 'm', role: 'user', parts: [], name: 'x' }] })],
    [
      'an image by its address',
      part({ type: 'image', mediaType: 'image/png', url: 'http://169.254.169.254/' }),
    ],
    [
      'an address in place of bytes',
      part({ type: 'image', mediaType: 'image/png', data: 'http://169.254.169.254/' }),
    ],
    ['an address as a media type', part({ type: 'image', mediaType: 'image/png;x=http://a', data: 'AAAA' })],
    [
      'an attachment without its bytes',
      part({ type: 'attachment', id: 'a', name: 'a', mediaType: 'b', size: 1 }),
    ],
    ['an opaque part of the user', part({ type: 'opaque', provider: 'relay', data: 1 })],
    ['an unknown part', part({ type: 'input_audio', data: 'x' })],
    [
      'JSON without its value',
      part({ type: 'tool-result', callId: 'c', outcome: 'success', content: [{ type: 'json' }] }),
    ],
    [
      'a call without arguments',
      part({ type: 'tool-call', id: 'c', tool: 'a.b', argumentsText: '' }, 'assistant'),
    ],
    ['a negative number of tokens', bodyOf({ maxOutputTokens: -1 })],
    ['a fraction of a token', bodyOf({ maxOutputTokens: 0.5 })],
    ['an empty idempotency key', bodyOf({ idempotencyKey: '' })],
    ['an idempotency key that ends a header', bodyOf({ idempotencyKey: 'a\r\nx-evil: 1' })],
  ])('%s is refused with 400', async (_name, body) => {
    expect(await refusalOf(await handle()(post(body)))).toEqual([400, 'invalid-input']);
  });

  test('P9 a refusal repeats no text of the body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 12 }), async (mark) => {
        const key = `mark${mark}`;
        const bodies = [
          bodyOf({ [key]: 1 }),
          bodyOf({ messages: [{ id: 'm', role: key, parts: [] }] }),
          bodyOf({ model: key.replace(/\s/g, '') }),
          `{"${JSON.stringify(key).slice(1, -1)}"`,
          key,
        ];
        for (const body of bodies) {
          const response = await handle()(post(body));
          expect(response.status).toBeGreaterThanOrEqual(400);
          expect(await response.text()).not.toContain(JSON.stringify(key).slice(1, -1));
        }
      }),
      propertyRun('no echo', 100),
    );
  });

  test('P9 a body above the ceiling is refused with 413, by its stated length, and while it is read', async () => {
    const ask = handle({ policy: { ...free, maxBodyBytes: 1_000 } });
    const long = bodyOf({ messages: [userText('x'.repeat(2_000))] });
    expect(await refusalOf(await ask(post(long, { 'content-length': '2200' })))).toEqual([
      413,
      'context-length',
    ]);
    let read = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += 100;
        controller.enqueue(new Uint8Array(100).fill(32));
      },
    });
    const request = post('', {}, { body: endless, duplex: 'half' } as RequestInit);
    expect(await refusalOf(await ask(request))).toEqual([413, 'context-length']);
    expect(read).toBeLessThan(3_000);
  });

  test('P9 a body of exactly the ceiling is accepted, whether its length is stated or not', async () => {
    const body = JSON.stringify(bodyOf({ messages: [userText('ünïcödé')] }));
    const length = new TextEncoder().encode(body).length;
    for (const headers of [{}, { 'content-length': String(length) }] as Record<string, string>[])
      for (const [maxBodyBytes, status] of [
        [length, 200],
        [length - 1, 413],
      ] as const) {
        const response = await handle({ policy: { ...free, maxBodyBytes } })(post(body, headers));
        expect(response.status).toBe(status);
        await response.body?.cancel();
      }
  });

  test('P9 a body of more values than a model can read is refused before it is parsed; commas and brackets in strings do not count', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const tool = (parameters: string) =>
      JSON.stringify(bodyOf()).replace(
        '"tools":[]',
        `"tools":[{"name":"a.b","description":"","parameters":${parameters}}]`,
      );
    const many = Array.from({ length: 250_000 }, (_, at) => at);
    try {
      for (const parameters of [
        `{"a":[${many.join()}]}`,
        `{${many.map((at) => `"${at}":1`).join()}}`,
        `{"a":[${'[[[[]]]],'.repeat(70_000)}1]}`,
        `{"a":[${'{},'.repeat(130_000)}1]}`,
      ])
        expect(await refusalOf(await handle()(post(tool(parameters))))).toEqual([413, 'context-length']);
      // The texts of the refusals are short.
      expect(parse.mock.calls.filter(([text]) => text.length > 1_000)).toEqual([]);
    } finally {
      parse.mockRestore();
    }
    const texts = userText('\\",[{'.repeat(150_000));
    for (const body of [bodyOf({ messages: [texts] }), tool(`{"a":[${many.slice(30).join()}]}`)]) {
      const response = await handle()(post(body));
      expect(response.status).toBe(200);
      await response.body?.cancel();
    }
  });

  test('P9 a compressed body is refused, because its size is unknown', async () => {
    expect(await refusalOf(await handle()(post('x', { 'content-encoding': 'gzip' })))).toEqual([
      415,
      'invalid-input',
    ]);
  });

  test('P9 a body that does not arrive is refused with 408, without waiting for the rest', async () => {
    const clock = createVirtualClock();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(1)),
    });
    const answer = handle({ clock })(post('', {}, { body, duplex: 'half' } as RequestInit));
    await clock.advance(30_000);
    const response = await answer;
    expect(response.headers.get('connection')).toBe('close');
    expect(await refusalOf(response)).toEqual([408, 'timeout']);
    expect(clock.pending).toBe(0);
  });

  test('bytes that are not UTF-8 are refused with 400', async () => {
    const request = post('', {}, { body: new Uint8Array([123, 255, 125]) });
    expect(await refusalOf(await handle()(request))).toEqual([400, 'invalid-input']);
  });
});
