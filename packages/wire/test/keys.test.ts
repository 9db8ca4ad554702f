import { AgentSessionError } from '@banister/provider';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startByteServer } from '../../../test/kit/byte-server.js';
import { classifyError, createWire, noEvents, withoutKeys } from '../src/index.js';
import { createRedactor } from '../src/redact.js';

const secret = 'opensesame-0123456789';
const print = (value: unknown) => inspect(value, { depth: 20, showHidden: true });

describe('a secret is known from', () => {
  test.each<[string, Parameters<typeof createRedactor>[0]]>([
    ['the key', { apiKey: secret }],
    ['an Authorization header', { headers: { Authorization: secret } }],
    ['a Bearer token, also without its scheme', { headers: { authorization: `Bearer ${secret}` } }],
    ['another header that holds one', { headers: { 'X-Gateway-Token': secret } }],
    ['a header of a cloud', { headers: { 'Ocp-Apim-Subscription-Key': secret } }],
    ['a parameter of the address', { baseURL: `https://ai.example/v1?subscription-key=${secret}` }],
    ['a password in the address', { baseURL: `https://me:${secret}@ai.example/v1` }],
  ])('%s', (_name, sources) => {
    expect(createRedactor(sources).redact(`the ${secret} is wrong`)).toBe('the [redacted] is wrong');
  });

  test('a key that was fetched later', () => {
    const redactor = createRedactor();
    redactor.add(secret);
    expect(redactor.redact(secret)).toBe('[redacted]');
  });
});

describe('text in the shape of a key is redacted, even when it is no known key', () => {
  test.each([
    ['sk-proj-0123456789abcdef', '[redacted]'],
    ['Bearer abcdef', '[redacted]'],
    [
      'GET https://ai.example/v1?key=abcdef&alt=sse failed',
      'GET https://ai.example/v1?key=[redacted]&alt=sse failed',
    ],
    ['https://me:abcdef@ai.example', 'https://[redacted]@ai.example'],
    ['sk-pr*****cdef.', '[redacted]'],
  ])('%s', (text, clean) => {
    expect(createRedactor().redact(text)).toBe(clean);
  });

  test('ordinary words stay', () => {
    const text =
      'Basic usage: see https://ai.example/docs?page=keys (code=400, token limit 4096), mail a@b.example';
    const { redact } = createRedactor({
      headers: { 'Idempotency-Key': 'see https', 'x-tenant': 'Basic usage' },
    });
    expect(redact(text)).toBe(text);
  });

  test('a megabyte without spaces is redacted in linear time', () => {
    const { redact } = createRedactor();
    const text = `${'https://'.repeat(20_000)}${'a'.repeat(1_000_000)}?key=`;
    expect(redact(text)).toBe(text);
  }, 60_000);
});

describe('a thrown error', () => {
  const { redact } = createRedactor({ apiKey: secret });

  test('without a key is passed on as it is', () => {
    const thrown = new Error('reset', { cause: new Error('socket') });
    expect(withoutKeys(thrown, redact)).toBe(thrown);
  });

  test.each<[string, unknown]>([
    ['its words', new Error(`bad ${secret}`)],
    [
      'a cause of a cause',
      new Error('a', { cause: new Error('b', { cause: new TypeError(`bad ${secret}`) }) }),
    ],
    ['its headers', Object.assign(new Error('a'), { headers: new Headers({ 'x-echo': secret }) })],
    [
      'its fields',
      Object.assign(new Error('a'), { request: { options: [{ url: `http://x/?k=${secret}` }] } }),
    ],
    ['several errors', new AggregateError([new Error('a'), new Error(secret)], 'all failed')],
    ['a text', `no ${secret}`],
    ['an object', { why: secret }],
  ])('with a key in %s loses the key, and keeps the rest', (_name, thrown) => {
    const clean = withoutKeys(thrown, redact);
    expect(print(clean)).not.toContain('opensesame');
    if (thrown instanceof Error && clean instanceof Error) expect(clean.name).toBe(thrown.name);
  });

  test('keeps its code and its causes', () => {
    const cause = Object.assign(new TypeError(`no route for ${secret}`), { code: 'ENOTFOUND' });
    expect(withoutKeys(new Error('fetch failed', { cause }), redact)).toMatchObject({
      message: 'fetch failed',
      cause: { name: 'TypeError', message: 'no route for [redacted]', code: 'ENOTFOUND' },
    });
  });

  test('that is an `AgentSessionError` loses the key too, and keeps code and retry hint', () => {
    const thrown = new AgentSessionError('server', `no ${secret}`, {
      details: { said: secret },
      retry: { afterMs: 5 },
      cause: new Error(secret),
    });
    const { signal } = new AbortController();
    const context = { signal, model: 'm', answering: true, ending: {}, redact };
    const error = classifyError(thrown, context, () => null);
    expect(error).toMatchObject({ code: 'server', message: 'no [redacted]', retry: { afterMs: 5 } });
    expect(print(error)).not.toContain('opensesame');
  });

  test('with a circular cause is handled', () => {
    const thrown: Error & { self?: unknown } = new Error(secret);
    thrown.self = thrown;
    thrown.cause = thrown;
    expect(print(withoutKeys(thrown, redact))).not.toContain('opensesame');
  });
});

describe('a server that repeats the key', () => {
  const format = { endMark: '[DONE]', hasEnd: () => false };

  test('in a refusal, in body or headers: the error has no key', async () => {
    await using server = await startByteServer({
      body: `{"error":{"message":"bad ${secret}"}}`,
      status: 401,
      headers: { 'x-echo': secret },
    });
    const wire = createWire({ model: 'm', apiKey: secret }, format);
    const response = await wire.fetch(server.url, { method: 'POST', body: '{}' });
    expect(response.headers.get('x-echo')).toBe('[redacted]');
    expect(await response.text()).not.toContain(secret);
  });

  test('in a page with a success status: the error has no key', async () => {
    await using server = await startByteServer({
      body: `<p>${secret}</p>`,
      headers: { 'content-type': 'text/html' },
    });
    const wire = createWire({ model: 'm', apiKey: secret }, format);
    const response = await wire.fetch(server.url, { method: 'POST', body: '{}' });
    await response.text();
    expect(print(noEvents(wire.watchOf(response)))).toContain('<p>[redacted]</p>');
  });

  test('that was just fetched: the error has no key', async () => {
    const wire = createWire({ model: 'm', apiKey: () => secret }, format);
    expect(await wire.fetchKey()).toBe(secret);
    expect(wire.redact(`no ${secret}`)).toBe('no [redacted]');
  });
});
