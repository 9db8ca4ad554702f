import { afterEach, describe, expect, test, vi } from 'vitest';
import { openai, type OpenAIOptions } from '../src/index.js';
import { answerOf, request } from '../../../test/kit/answer.js';
import { startByteServer } from '../../../test/kit/byte-server.js';

// Facts about the connection that the official client does not offer, over a real socket.

const text = (words: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: words }, finish_reason: finish }] })}\n\n`;
const done = 'data: [DONE]\n\n';

async function serve(
  body: string | Uint8Array,
  script: Record<string, unknown> = {},
  options: Partial<OpenAIOptions> = {},
) {
  await using server = await startByteServer({ body, ...script });
  const answer = await answerOf(openai({ model: 'm', baseURL: server.v1, ...options }));
  return { ...answer, arrival: server.arrivals[0]! };
}

afterEach(() => void vi.restoreAllMocks());

describe('events', () => {
  test.each([
    [
      'W3 comments between events',
      `: keep-alive\n\n${text('Hi')}: again\n\n: and again\n${text('!', 'stop')}${done}`,
    ],
    ['W4 CR LF', (text('Hi') + text('!', 'stop') + done).replaceAll('\n', '\r\n')],
    ['W5 a byte order mark', `\uFEFF${text('Hi')}${text('!', 'stop')}${done}`],
    ['W5 lone CR', (text('Hi') + text('!', 'stop') + done).replaceAll('\n', '\r')],
    [
      'W5 unknown fields, id and retry',
      `id: 1\nretry: 5\nwhat: ever\n${text('Hi')}${text('!', 'stop')}${done}`,
    ],
    [
      'W5 data over two lines',
      `data: {"choices":[{"delta":\ndata: {"content":"Hi"}}]}\n\n${text('!', 'stop')}${done}`,
    ],
    ['W6 data without a space', (text('Hi') + text('!', 'stop') + done).replaceAll('data: ', 'data:')],
    ['W7 no blank line after [DONE]', text('Hi') + text('!', 'stop') + 'data: [DONE]'],
    ['W7 no blank line after the last chunk', text('Hi') + text('!', 'stop').trimEnd()],
    ['W18 [DONE] twice, and data after it', text('Hi') + text('!', 'stop') + done + done + text('no')],
  ])('%s: the answer is complete', async (_name, body) => {
    for (const chunkSize of [1, body.length]) {
      expect(await serve(body, { chunkSize })).toMatchObject({
        text: 'Hi!',
        finish: { reason: 'stop', raw: 'stop' },
        error: null,
      });
    }
  });

  test('S-8 [DONE] without a finish_reason ends the answer for an unknown reason', async () => {
    expect(await serve(text('Hi') + done)).toMatchObject({ text: 'Hi', finish: { reason: 'unknown' } });
  });

  test('W8 a clean close before the end emits no finish and no error', async () => {
    expect(await serve(text('Hi') + text('!', 'stop'), { cut: text('Hi').length + 20 })).toMatchObject({
      text: 'Hi',
      finish: null,
      error: null,
    });
  });

  test('W9 a reset is an `interrupted` error that keeps its cause', async () => {
    const { text: so, finish, error } = await serve(text('Hi'), { end: 'reset', delayMs: 20 });
    expect({ so, finish, code: error?.code, retry: error?.retry }).toEqual({
      so: 'Hi',
      finish: null,
      code: 'interrupted',
      retry: 'now',
    });
    expect(error?.cause).toBeInstanceOf(Error);
  });

  test('W9 a reset after the finish_reason loses no part of the answer', async () => {
    expect(await serve(text('Hi', 'stop'), { end: 'reset', delayMs: 20 })).toMatchObject({
      text: 'Hi',
      finish: { reason: 'stop' },
      error: null,
    });
  });

  test('W12 a line that is not JSON is a `server` error that shows the line, without console output', async () => {
    const log = vi.spyOn(console, 'error');
    const { text: so, error } = await serve(`${text('Hi')}data: oops\n\n${done}`);
    expect(so).toBe('Hi');
    expect(error).toMatchObject({ code: 'server', details: { line: 'oops' } });
    expect(log).not.toHaveBeenCalled();
  });

  test('W14 an event of 8 MB, in pieces of 64 kB, arrives whole', async () => {
    const long = 'x'.repeat(8 * 1024 * 1024);
    const answer = await serve(text(long, 'stop') + done, { chunkSize: 64 * 1024 });
    expect(answer.text.length).toBe(long.length);
    expect(answer.finish).not.toBeNull();
  });

  test('an answer ends at [DONE] even if the server keeps the connection open', async () => {
    const start = Date.now();
    const answer = await serve(text('Hi', 'stop') + done, { end: 'never' });
    expect(answer.finish).toEqual({ reason: 'stop', raw: 'stop' });
    expect(Date.now() - start).toBeLessThan(900);
  });

  test('S-29 the wait that the headers of the answer ask for is kept, and their request id', async () => {
    const { error } = await serve(`${text('Hi')}data: {"error":{"code":429,"message":"Slow down"}}\n\n`, {
      headers: { 'retry-after': '7', 'x-request-id': 'req_2' },
    });
    expect(error).toMatchObject({
      code: 'rate-limit',
      retry: { afterMs: 7_000 },
      details: { requestId: 'req_2' },
    });
  });

  test('S-27 an error inside a chunk that has choices: the text and usage before it are kept', async () => {
    const failing = {
      error: { code: 429, message: 'Slow down' },
      choices: [{ index: 0, delta: { content: '!' } }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    };
    const answer = await serve(`${text('Hi')}data: ${JSON.stringify(failing)}\n\n${done}`);
    expect(answer).toMatchObject({ text: 'Hi!', usage: { inputTokens: 1, outputTokens: 2 }, finish: null });
    expect(answer.error?.code).toBe('rate-limit');
  });

  test('S-28 an event named `error` without a type is an error', async () => {
    const error = { error: { message: 'no such tool', code: 'tool_use_failed', failed_generation: '{' } };
    const answer = await serve(`${text('Hi')}event: error\ndata: ${JSON.stringify(error)}\n\n`);
    expect(answer.error).toMatchObject({
      code: 'server',
      retry: 'now',
      details: { code: 'tool_use_failed', failedGeneration: '{' },
    });
  });

  test('S-29 an overloaded error in the middle of an answer is thrown', async () => {
    const error = { error: { type: 'overloaded_error', message: 'Overloaded' } };
    const answer = await serve(`${text('Hi')}data: ${JSON.stringify(error)}\n\n`);
    expect(answer).toMatchObject({ text: 'Hi', error: { code: 'overloaded', retry: 'now' } });
  });
});

describe('W13 a success that is not a stream', () => {
  test.each([
    ['HTML', '<!doctype html><title>Sign in</title>', 'text/html', 'server', 'after-action'],
    ['JSON that is no answer', '{"choices":[]}', 'application/json', 'server', 'now'],
    ['broken JSON', '{"cho', 'application/json', 'server', 'now'],
    ['plain text', 'upstream timed out', 'text/plain', 'server', 'now'],
    ['nothing', '', 'text/event-stream', 'interrupted', 'now'],
    ['only comments', ': ping\n\n: ping\n\n', 'text/event-stream', 'interrupted', 'now'],
  ])('%s names the content type and the beginning', async (_name, body, contentType, code, retry) => {
    const { error } = await serve(body, { headers: { 'content-type': contentType } });
    expect(error).toMatchObject({ code, retry, details: { contentType } });
    expect(error?.message).toContain(contentType);
    expect(error?.message).toContain(body.trim() === '' ? 'empty' : body.trim());
  });

  test('an error with the status of a success is classified by its body', async () => {
    const body = '{"error":{"message":"no credit","type":"insufficient_quota"}}';
    const { error } = await serve(body, { headers: { 'content-type': 'application/json' } });
    expect(error).toMatchObject({ code: 'quota', retry: 'after-action' });
  });

  test('events with another content type are still read', async () => {
    const answer = await serve(text('Hi', 'stop'), { headers: { 'content-type': 'text/plain' } });
    expect(answer).toMatchObject({ text: 'Hi', finish: { reason: 'stop' } });
  });
});

describe('abort', () => {
  test("S3 an abort in the middle closes the server's socket, and emits no finish", async () => {
    await using server = await startByteServer({ body: text('Hi').repeat(1000), chunkSize: 10, delayMs: 5 });
    const abort = new AbortController();
    const provider = openai({ model: 'm', baseURL: server.v1 });
    let seen = '';
    const reading = async () => {
      for await (const event of provider.stream(request(), abort.signal)) {
        if (event.type === 'finish') throw new Error('finished');
        if (event.type === 'text') seen += event.delta;
        abort.abort();
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: 'cancelled' });
    expect(seen).toBe('Hi');
    expect(await server.arrivals[0]!.closed).toBe(true);
  });

  test('an abort before the headers closes the socket', async () => {
    await using server = await startByteServer({ body: '', delayMs: 10, end: 'never' });
    const abort = new AbortController();
    const answer = answerOf(openai({ model: 'm', baseURL: server.v1 }), request(), abort.signal);
    await vi.waitFor(() => expect(server.arrivals).toHaveLength(1), 30_000);
    abort.abort();
    expect((await answer).error?.code).toBe('cancelled');
    expect(await server.arrivals[0]!.closed).toBe(true);
  });

  test('an abort before the request sends nothing', async () => {
    await using server = await startByteServer({ body: text('Hi', 'stop') });
    const answer = await answerOf(openai({ model: 'm', baseURL: server.v1 }), request(), AbortSignal.abort());
    expect(answer.error?.code).toBe('cancelled');
    expect(server.arrivals).toHaveLength(0);
  });

  test('a reader that leaves closes the socket', async () => {
    await using server = await startByteServer({ body: text('Hi').repeat(1000), chunkSize: 10, delayMs: 5 });
    const provider = openai({ model: 'm', baseURL: server.v1 });
    for await (const _event of provider.stream(request(), new AbortController().signal)) break;
    expect(await server.arrivals[0]!.closed).toBe(true);
  });
});

describe('the request', () => {
  test('goes to the base URL, asks for a stream with usage, and carries the idempotency key', async () => {
    const { arrival } = await serve(text('Hi', 'stop'));
    expect(arrival.path).toBe('/v1/chat/completions');
    expect(arrival.body).toMatchObject({ model: 'm', stream: true, stream_options: { include_usage: true } });
    expect(arrival.headers['idempotency-key']).toBe('key-1');
  });

  test('S13 without a key, no authorization is sent, not even from the environment', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-another-app');
    const { arrival } = await serve(text('Hi', 'stop'));
    expect(arrival.headers.authorization).toBeUndefined();
    vi.unstubAllEnvs();
  });

  test('sends the key, the headers, and an idempotency header with another name', async () => {
    const { arrival } = await serve(
      text('Hi', 'stop'),
      {},
      {
        apiKey: 'sk-test-0123456789',
        headers: { 'x-tenant': 'a' },
        idempotencyHeader: 'x-request-key',
      },
    );
    expect(arrival.headers).toMatchObject({
      authorization: 'Bearer sk-test-0123456789',
      'x-tenant': 'a',
      'x-request-key': 'key-1',
    });
    expect(arrival.headers['idempotency-key']).toBeUndefined();
  });

  test('a key function is called for each request', async () => {
    await using server = await startByteServer({ body: text('Hi', 'stop') });
    let count = 0;
    const provider = openai({ model: 'm', baseURL: server.v1, apiKey: () => `key-number-${++count}` });
    await answerOf(provider);
    await answerOf(provider);
    expect(server.arrivals.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer key-number-1',
      'Bearer key-number-2',
    ]);
  });

  test('S7 one refusal causes one request, because only the session retries', async () => {
    await using server = await startByteServer({ body: '{}', status: 503 });
    await answerOf(openai({ model: 'm', baseURL: server.v1 }));
    expect(server.arrivals).toHaveLength(1);
  });

  test('two answers at the same time do not mix', async () => {
    await using server = await startByteServer(
      { body: text('a').repeat(50) + done, chunkSize: 9 },
      { body: text('b').repeat(50), chunkSize: 11 },
    );
    const provider = openai({ model: 'm', baseURL: server.v1 });
    const answers = await Promise.all([answerOf(provider), answerOf(provider)]);
    const [a, b] = answers.sort((one, other) => one.text.localeCompare(other.text));
    expect([a?.text, a?.finish?.reason]).toEqual(['a'.repeat(50), 'unknown']);
    expect([b?.text, b?.finish]).toEqual(['b'.repeat(50), null]);
  });

  test('the stream of a client that does not use the given fetch is read from the client', async () => {
    await using server = await startByteServer(
      { body: text('Hi', 'stop') + done },
      { body: `${text('Hi')}data: {"error":{"code":429,"message":"Slow down"}}\n\n` },
    );
    const provider = openai({
      model: 'm',
      baseURL: server.v1,
      client: async (given) => {
        const { OpenAI } = await import('openai');
        return new OpenAI({ ...given, fetch: globalThis.fetch });
      },
    });
    expect(await answerOf(provider)).toMatchObject({ text: 'Hi', finish: { reason: 'stop' }, error: null });
    expect(await answerOf(provider)).toMatchObject({ text: 'Hi', error: { code: 'rate-limit' } });
  });

  test('another client can be used, and is watched like the default client', async () => {
    const answer = await serve(
      text('Hi') + done,
      {},
      {
        apiKey: undefined,
        client: async (given) => {
          const { AzureOpenAI } = await import('openai');
          return new AzureOpenAI({ ...given, apiKey: 'azure-key-0123456', apiVersion: '2024-10-21' });
        },
      },
    );
    expect(answer.finish).toEqual({ reason: 'unknown' });
    expect(answer.arrival.path).toBe('/v1/deployments/m/chat/completions?api-version=2024-10-21');
  });
});
