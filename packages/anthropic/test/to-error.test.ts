import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { anthropic } from '../src/index.js';
import { retryAfter } from '../../wire/src/retry-after.js';
import { answerOf, request } from '../../../test/kit/answer.js';
import { startByteServer, type Script } from '../../../test/kit/byte-server.js';
import { missing } from '../../../test/kit/recordings.js';
import { refusals } from './recordings.js';

const key = 'sk-ant-0123456789abcdef';

async function errorOf(script: Partial<Script>) {
  await using server = await startByteServer({
    body: '{}',
    headers: { 'content-type': 'application/json' },
    ...script,
  });
  const provider = anthropic({
    model: 'm',
    baseURL: server.url,
    apiKey: key,
    serverTools: [{ type: 'web_search_20250305', name: 'web_search' }],
  });
  const tools = ['board.list', 'weather.now'].map((name) => ({
    name,
    description: '',
    parameters: { type: 'object' },
  }));
  return (await answerOf(provider, request({ tools }))).error;
}

if (missing !== '') test.skip(`recorded refusals are read (${missing})`, () => {});

describe.skipIf(missing !== '')('recorded refusals', () => {
  const expected: Record<string, [code: string, retry: string]> = {
    'anthropic-400-prompt-too-long': ['context-length', 'after-action'],
    'anthropic-401': ['auth', 'after-action'],
    'anthropic-404-model': ['model', 'after-action'],
  };

  test.each(refusals)('H1 H2 H7 $name', async ({ name, status, headers, body }) => {
    const error = await errorOf({ status, headers, body });
    expect([error?.code, error?.retry]).toEqual(expected[name]);
    expect(error?.details).toMatchObject({ status, requestId: expect.stringMatching(/^req_/) as string });
  });

  test('every recorded refusal has an expected error', () => {
    expect(refusals.map(({ name }) => name).sort()).toEqual(Object.keys(expected).sort());
  });
});

describe('refusals', () => {
  const json = (type: string, message = 'Sorry') =>
    JSON.stringify({ type: 'error', error: { type, message } });

  test.each([
    [401, '', 'auth'],
    [402, json('billing_error'), 'quota'],
    [403, json('permission_error'), 'auth'],
    [404, '<html>Not Found</html>', 'invalid-configuration'],
    [404, json('not_found_error', 'model: claude-9'), 'model'],
    [408, '', 'network'],
    [409, '', 'server'],
    [413, json('request_too_large'), 'context-length'],
    [414, '', 'invalid-configuration'],
    [422, '{"detail":"odd"}', 'invalid-configuration'],
    [429, '', 'rate-limit'],
    [429, json('rate_limit_error'), 'rate-limit'],
    [431, '', 'invalid-configuration'],
    [400, json('invalid_request_error', 'prompt is too long: 3 tokens > 2 maximum'), 'context-length'],
    [400, json('invalid_request_error', 'Your credit balance is too low to access the API.'), 'quota'],
    [400, json('invalid_request_error', 'Output blocked by content filtering policy'), 'refused'],
    [400, json('invalid_request_error', 'messages: roles must alternate'), 'invalid-configuration'],
    [400, json('__proto__', 'odd'), 'invalid-configuration'],
    [500, json('api_error'), 'server'],
    [502, '<html>Bad Gateway</html>', 'server'],
    [503, '', 'overloaded'],
    [504, json('timeout_error'), 'server'],
    [529, json('overloaded_error'), 'overloaded'],
  ])('H4 H5 H9 %i %s is %s', async (status, body, code) => {
    expect((await errorOf({ status, body }))?.code).toBe(code);
  });

  test('H8 the error of a bad schema names the tool by its position, counting tools of the server', async () => {
    const said = 'tools.2.custom.input_schema: JSON schema is invalid';
    const error = await errorOf({ status: 400, body: json('invalid_request_error', said) });
    expect(error).toMatchObject({
      code: 'invalid-configuration',
      details: { tool: 'weather.now', said },
      message: expect.stringContaining('weather.now') as string,
    });
  });

  test.each([
    [{ 'retry-after': '2' }, { afterMs: 2_000 }],
    [{ 'retry-after': '0.5' }, { afterMs: 500 }],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, { afterMs: 1_500 }],
    [{ 'retry-after': '3600' }, { afterMs: 3_600_000 }],
    [{ 'retry-after': '-5' }, 'now'],
    [{ 'retry-after': 'soon' }, 'now'],
    [{}, 'now'],
  ])('H3 429 with %o: retry %o', async (headers, retry) => {
    const error = await errorOf({ status: 429, headers: { 'content-type': 'application/json', ...headers } });
    expect(error).toMatchObject({ code: 'rate-limit', retry });
  });

  test('H3 retry-after as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const at = (date: string) => retryAfter(new Headers({ 'retry-after': date }), now);
    expect(at('Thu, 01 Jan 2026 00:00:30 GMT')).toBe(30_000);
    expect(at('Wed, 31 Dec 2025 23:59:00 GMT')).toBeUndefined();
  });

  test('H11 an unreachable server is a network error', async () => {
    const { error } = await answerOf(anthropic({ model: 'm', baseURL: 'http://127.0.0.1:9/v1' }));
    expect(error).toMatchObject({ code: 'network', retry: 'now' });
    expect(error?.cause).toBeInstanceOf(Error);
  });

  test('H14 the body of an error is read only up to a limit', async () => {
    const body = json('api_error', 'x'.repeat(10 * 1024 * 1024));
    const error = await errorOf({ status: 500, body });
    expect(error?.code).toBe('server');
    expect(JSON.stringify(error).length).toBeLessThan(10_000);
  });

  test('a body without a message still gives a sentence', async () => {
    expect((await errorOf({ status: 401, body: '' }))?.message).toBe(
      'The server did not accept the API key.',
    );
    expect((await errorOf({ status: 500, body: '' }))?.message).toBe('The server failed.');
  });
});

describe('keys', () => {
  const echoes = [
    `{"error":{"message":"Incorrect API key provided: ${key}."}}`,
    `{"detail":"bad token ${key}"}`,
    `Bearer ${key} is no good`,
    '{"error":{"message":"Incorrect API key provided: sk-an*****cdef."}}',
  ];
  test.each(echoes.flatMap((body) => [400, 401, 500].map((status) => ({ status, body }))))(
    'H1 if a server repeats the key, the error does not contain it: $status $body',
    async (refusal) => {
      const error = await errorOf(refusal);
      expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/0123456789|cdef/);
      expect(JSON.stringify(error)).not.toMatch(/0123456789|cdef/);
    },
  );

  test('H1 if a server repeats the key in the middle of an answer, the error does not contain it', async () => {
    const body = `data: {"type":"error","error":{"type":"authentication_error","message":"key ${key} expired"}}\n\n`;
    const error = await errorOf({ body, headers: { 'content-type': 'text/event-stream' } });
    expect(error?.code).toBe('auth');
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('0123456789');
  });

  test('a key that cannot be fetched gives an `auth` error with its cause', async () => {
    const failing = () => Promise.reject(new Error('token endpoint down'));
    const { error } = await answerOf(
      anthropic({ model: 'm', baseURL: 'http://127.0.0.1:9/v1', apiKey: failing }),
    );
    expect(error).toMatchObject({ code: 'auth', cause: { message: 'token endpoint down' } });
  });
});

describe('thinking that the server refuses', () => {
  const detailOf = async (message: string, status = 400) => {
    const error = { type: 'invalid_request_error', message };
    return (await errorOf({ status, body: JSON.stringify({ type: 'error', error }) }))?.details['refused'];
  };

  test.each([
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
    'messages.3.content.1: Invalid `data` in `redacted_thinking` block',
  ])('is named in the details of the error: %s', async (message) => {
    expect(await detailOf(message)).toBe('reasoning');
  });

  test('is not detected in other refusals', async () => {
    expect(await detailOf('thinking.budget_tokens: must be at least 1024')).toBeUndefined();
    expect(await detailOf('Invalid `signature` in `thinking` block', 500)).toBeUndefined();
  });
});
