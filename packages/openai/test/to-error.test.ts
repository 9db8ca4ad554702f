import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openai } from '../src/index.js';
import { retryAfter } from '../../wire/src/retry-after.js';
import { answerOf, request } from '../../../test/kit/answer.js';
import { startByteServer, type Script } from '../../../test/kit/byte-server.js';
import { missing } from '../../../test/kit/recordings.js';
import { refusals } from './recordings.js';

const key = 'sk-proj-0123456789abcdef';

async function errorOf(script: Partial<Script>) {
  await using server = await startByteServer({
    body: '{}',
    headers: { 'content-type': 'application/json' },
    ...script,
  });
  const provider = openai({ model: 'm', baseURL: server.v1, apiKey: key });
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
    'deepseek-400-no-tool-output': ['invalid-configuration', 'never'],
    'groq-400-tool-use-failed': ['server', 'now'],
    'mistral-401-detail-only': ['auth', 'after-action'],
    'openai-400-bad-tool-schema': ['invalid-configuration', 'never'],
    'openai-400-context-length': ['context-length', 'after-action'],
    'openai-400-reasoning-without-its-item': ['invalid-configuration', 'never'],
    'openai-401': ['auth', 'after-action'],
    'openai-404-model': ['model', 'after-action'],
    'openai-responses-400-model': ['model', 'after-action'],
    'openrouter-401-numeric-code': ['auth', 'after-action'],
    'openrouter-429-upstream': ['rate-limit', 'now'],
    'xai-400-for-a-bad-key': ['auth', 'after-action'],
  };

  test.each(refusals)('H1 H2 H7 $name', async ({ name, status, headers, body }) => {
    const error = await errorOf({ status, headers, body });
    expect([error?.code, error?.retry]).toEqual(expected[name]);
    expect(error?.details['status']).toBe(status);
  });

  test('every recorded refusal has an expected error', () => {
    expect(refusals.map(({ name }) => name).sort()).toEqual(Object.keys(expected).sort());
  });
});

describe('refusals', () => {
  const json = (error: unknown) => JSON.stringify({ error });

  test.each([
    [401, '', 'auth'],
    [402, '', 'quota'],
    [403, json({ message: 'Country not supported' }), 'auth'],
    [404, '<html>Not Found</html>', 'invalid-configuration'],
    [404, json({ message: 'model "x" not found, try pulling it first' }), 'model'],
    [408, '', 'network'],
    [409, '', 'server'],
    [413, '', 'context-length'],
    [414, '', 'invalid-configuration'],
    [422, '{"detail":[{"msg":"Field required","loc":["body"]}]}', 'invalid-configuration'],
    [429, '', 'rate-limit'],
    [429, json({ type: 'insufficient_quota', code: 'insufficient_quota', message: 'plan' }), 'quota'],
    [429, '[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}]', 'rate-limit'],
    [431, '', 'invalid-configuration'],
    [400, json({ message: "This model's maximum context length is 4096 tokens." }), 'context-length'],
    [400, json({ type: 'exceed_context_size_error', message: 'too big' }), 'context-length'],
    [400, json({ code: 'content_filter', message: 'filtered' }), 'refused'],
    [
      400,
      json({ message: "Unsupported parameter: 'x' is not supported with this model." }),
      'invalid-configuration',
    ],
    [400, json({ code: 'constructor', type: '__proto__', message: 'odd' }), 'invalid-configuration'],
    [500, '', 'server'],
    [502, '<html>Bad Gateway</html>', 'server'],
    [503, '', 'overloaded'],
    [504, '', 'server'],
    [529, '', 'overloaded'],
  ])('H4 H5 H9 %i %s is %s', async (status, body, code) => {
    expect((await errorOf({ status, body }))?.code).toBe(code);
  });

  test('H8 the error of a bad schema names the tool, found by its position or its name', async () => {
    const byPlace = json({
      message: 'Bad.',
      param: 'tools[1].function.parameters',
      code: 'invalid_function_parameters',
    });
    const byName = json({
      message: "Invalid schema for function 'board_list': Bad.",
      code: 'invalid_function_parameters',
    });
    expect(await errorOf({ status: 400, body: byPlace })).toMatchObject({
      code: 'invalid-configuration',
      details: { tool: 'weather.now' },
      message: expect.stringContaining('weather.now') as string,
    });
    expect((await errorOf({ status: 400, body: byName }))?.details['tool']).toBe('board.list');
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
    const { error } = await answerOf(openai({ model: 'm', baseURL: 'http://127.0.0.1:9/v1' }));
    expect(error).toMatchObject({ code: 'network', retry: 'now' });
    expect(error?.cause).toBeInstanceOf(Error);
  });

  test('H14 the body of an error is read only up to a limit', async () => {
    const body = json({ message: 'x'.repeat(10 * 1024 * 1024) });
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
    '{"error":{"message":"Incorrect API key provided: sk-pr*****cdef."}}',
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
    const body = `data: {"error":{"message":"key ${key} expired","code":"invalid_api_key"}}\n\n`;
    const error = await errorOf({ body, headers: { 'content-type': 'text/event-stream' } });
    expect(error?.code).toBe('auth');
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('0123456789');
  });

  test('a key that cannot be fetched gives an `auth` error with its cause', async () => {
    const failing = () => Promise.reject(new Error('token endpoint down'));
    const { error } = await answerOf(
      openai({ model: 'm', baseURL: 'http://127.0.0.1:9/v1', apiKey: failing }),
    );
    expect(error).toMatchObject({ code: 'auth', cause: { message: 'token endpoint down' } });
  });
});

describe('encrypted reasoning that a server refuses', () => {
  const json = { 'content-type': 'application/json' };
  const detailOf = async (status: number, error: object) =>
    (await errorOf({ status, headers: json, body: JSON.stringify({ error }) }))?.details['refused'];

  test.each([
    [{ code: 'invalid_encrypted_content', message: 'No.' }],
    [{ message: 'The encrypted content gAAA... could not be verified. Reason: it could not be decrypted.' }],
    [{ message: "Item 'rs_1' of type 'reasoning' was provided without its required following item." }],
    [
      {
        message:
          "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
      },
    ],
    [{ message: 'Thought signature is not valid.' }],
  ])('is named in the details of the error: %j', async (error) => {
    expect(await detailOf(400, { type: 'invalid_request_error', ...error })).toBe('reasoning');
  });

  test('is not detected in other refusals', async () => {
    expect(await detailOf(400, { message: 'Unknown parameter: reasoning.' })).toBeUndefined();
    expect(await detailOf(500, { code: 'invalid_encrypted_content' })).toBeUndefined();
  });

  test.skipIf(missing !== '')('is found in a recorded refusal', async () => {
    const recorded = refusals.find(({ name }) => name === 'openai-400-reasoning-without-its-item');
    expect((await errorOf({ ...recorded }))?.details).toMatchObject({ refused: 'reasoning' });
  });
});
