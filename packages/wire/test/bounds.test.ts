import { describe, expect, test } from 'vitest';
import { startByteServer, type Script } from '../../../test/kit/byte-server.js';
import { createWire, type ServerOptions } from '../src/index.js';
import { retryAfter } from '../src/retry-after.js';

const format = { endMark: '[DONE]', hasEnd: (events: string) => events.includes('data: [DONE]') };

async function fetched(script: Script, options: Partial<ServerOptions> = {}) {
  const server = await startByteServer(script);
  const wire = createWire({ model: 'm', ...options }, format);
  const response = await wire
    .fetch(server.url, { method: 'POST', body: '{}' })
    .catch(async (error: unknown) => {
      await server[Symbol.asyncDispose]();
      throw error;
    });
  return { server, wire, response, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe('size', () => {
  const limits = { maxEventBytes: 1_000, maxAnswerBytes: 5_000 };

  test.each([
    ['W15 a line without end', 'x'.repeat(4_000)],
    ['W14 an event that is whole', `data: ${'x'.repeat(1_000)}\n\n`],
    ['W15 an event of many short lines', 'data: x\n'.repeat(500)],
  ])('%s is refused, and the connection closed', async (_name, body) => {
    for (const chunkSize of [100, body.length]) {
      await using asked = await fetched({ body, chunkSize, end: 'never' }, { limits });
      await expect(asked.response.text()).rejects.toMatchObject({
        code: 'server',
        message: 'The server sent an event of more than 1000 bytes.',
        details: { limit: 'maxEventBytes', bytes: 1_000 },
      });
      expect(await asked.server.arrivals[0]!.closed).toBe(true);
    }
  });

  test('W15 the total size of many short events is limited', async () => {
    await using asked = await fetched({ body: 'data: x\n\n'.repeat(1_000), end: 'never' }, { limits });
    await expect(asked.response.text()).rejects.toMatchObject({
      code: 'server',
      message: 'The server sent an answer of more than 5000 bytes.',
      details: { limit: 'maxAnswerBytes', bytes: 5_000 },
    });
    expect(await asked.server.arrivals[0]!.closed).toBe(true);
  });

  test('a body within the limit passes completely', async () => {
    const body = `data: ${'x'.repeat(992)}\n\n`.repeat(5);
    expect(body.length).toBe(5_000);
    await using asked = await fetched({ body, chunkSize: 999 }, { limits });
    expect(await asked.response.text()).toBe(body);
  });

  test('W14 each piece of a long event is scanned only once', async () => {
    const body = `data: ${'x'.repeat(8 * 1024 * 1024)}\n\n`;
    await using asked = await fetched({ body, chunkSize: 64 * 1024 });
    expect((await asked.response.text()).length).toBe(body.length);
  });

  test.each([
    ['a limit of zero', { idleTimeoutMs: 0 }],
    ['a negative limit', { maxEventBytes: -1 }],
    ['no number', { answerTimeoutMs: NaN }],
    ['a number in a text', { maxAnswerBytes: '5' as unknown as number }],
    ['a limit that does not exist', { idleTimeout: 5 } as object],
  ])('%s is refused at once', (_name, wrong) => {
    expect(() => createWire({ model: 'm', limits: wrong }, format)).toThrowError(
      expect.objectContaining({ code: 'invalid-configuration' }),
    );
  });
});

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('H10 S12 a %i is not followed', async (status) => {
    await using other = await startByteServer({ body: 'data: {}\n\n' });
    const asking = fetched({
      body: '',
      status,
      headers: { location: `${other.url}/v1?api_key=0123456789` },
    });
    await expect(asking).rejects.toMatchObject({
      code: 'invalid-configuration',
      retry: 'after-action',
      details: { status, location: `${other.url}/v1?api_key=[redacted]` },
    });
    expect(other.arrivals).toEqual([]);
  });

  test('H10 a page learns about a redirect too, but not its target', async () => {
    const fetch = () =>
      Promise.resolve(
        Object.create(Response.prototype, {
          type: { value: 'opaqueredirect' },
          status: { value: 0 },
          ok: { value: false },
          headers: { value: new Headers() },
          body: { value: null },
        }) as Response,
      );
    await expect(
      createWire({ model: 'm', fetch }, format).fetch('http://test.invalid'),
    ).rejects.toMatchObject({
      code: 'invalid-configuration',
      details: {},
    });
  });
});

describe('refusals', () => {
  test.each([
    ['an object', '{"error":{"message":"no"}}', { message: 'no' }],
    [
      'an object with an id beside it',
      '{"error":{"message":"no"},"request_id":"r"}',
      { message: 'no', request_id: 'r' },
    ],
    ['a list', '[{"error":{"message":"no"}}]', { message: 'no' }],
    ['a text as the error', '{"error":"no","code":"x"}', { error: 'no', code: 'x' }],
    ['no error at all', '{"detail":"no"}', { detail: 'no' }],
    ['plain text', 'upstream is down', { message: 'upstream is down' }],
    ['a page', '<html>', {}],
    ['nothing', '', {}],
    ['null', 'null', { message: 'null' }],
  ])('of %s have one shape', async (_name, body, error) => {
    await using asked = await fetched({ body, status: 500 });
    expect(await asked.response.json()).toEqual({ type: 'error', error });
  });

  test('H14 an endless body is read only up to a limit', async () => {
    await using asked = await fetched({ body: 'x'.repeat(1024 * 1024), status: 500, end: 'never' });
    expect(await asked.response.json()).toEqual({ type: 'error', error: { message: 'x'.repeat(500) } });
    expect(await asked.server.arrivals[0]!.closed).toBe(true);
  });
});

describe('W4 W5 W7 W18 the framing of events', () => {
  const whole = 'data: 1\n\n: comment\n\ndata: 2\n\n';
  test.each([
    ['as it is', whole, whole],
    ['a last event without its blank line', 'data: {}', 'data: {}\n\n'],
    ['a last event that was cut', `${whole}data: {"a`, whole],
    ['data after the end', `${whole}data: [DONE]\n\ndata: 3\n\n`, null],
    ['CR LF', whole.replaceAll('\n', '\r\n'), whole.replaceAll('\n', '\r\n')],
  ])('%s', async (_name, body, passed) => {
    for (const chunkSize of [1, 7, body.length]) {
      await using asked = await fetched({ body, chunkSize });
      const text = await asked.response.text();
      if (passed === null) expect(text.startsWith(`${whole}data: [DONE]\n\n`)).toBe(true);
      else expect(text).toBe(passed);
    }
  });

  test('an AWS event stream is binary, and passes unchanged', async () => {
    const body = new Uint8Array([0, 1, 10, 10, 200, 13]);
    const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
    await using asked = await fetched({ body, headers, chunkSize: 2 });
    expect(new Uint8Array(await asked.response.arrayBuffer())).toEqual(body);
  });
});

describe('H3 retry-after', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  test.each([
    ['seconds', { 'retry-after': '2' }, 2_000],
    ['parts of a second', { 'retry-after': '0.0001' }, 1],
    ['milliseconds, which go first', { 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    ['a date that is past', { 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }, undefined],
    ['a negative number', { 'retry-after': '-5' }, undefined],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['nothing', {}, undefined],
  ])('in %s', (_name, headers, expected) => {
    expect(retryAfter(new Headers(headers as Record<string, string>), now)).toBe(expected);
  });
});
