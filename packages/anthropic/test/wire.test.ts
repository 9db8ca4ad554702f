import { afterEach, describe, expect, test, vi } from 'vitest';
import { anthropic, type AnthropicOptions } from '../src/index.js';
import { answerOf, request } from '../../../test/kit/answer.js';
import { startByteServer } from '../../../test/kit/byte-server.js';
import { end, event, message, start, stop, textBlock, toolBlock } from './message-events.js';

// Facts about the connection that the official client does not offer, over a real socket.

const hi = message(textBlock(0, 'H', 'i', '!'));
const begun = start() + textBlock(0, 'Hi');

async function serve(
  body: string | Uint8Array,
  script: Record<string, unknown> = {},
  options: Partial<AnthropicOptions> = {},
) {
  await using server = await startByteServer({ body, ...script });
  const answer = await answerOf(anthropic({ model: 'm', baseURL: server.url, ...options }));
  return { ...answer, arrival: server.arrivals[0]! };
}

afterEach(() => void vi.restoreAllMocks());

describe('events', () => {
  test.each([
    ['W3 comments between events', `: keep-alive\n\n${hi.replaceAll('\n\n', '\n\n: again\n\n')}`],
    ['W4 CR LF', hi.replaceAll('\n', '\r\n')],
    ['W5 a byte order mark', `\uFEFF${hi}`],
    ['W5 lone CR', hi.replaceAll('\n', '\r')],
    ['W5 unknown fields, id and retry', `id: 1\nretry: 5\nwhat: ever\n${hi}`],
    ['W5 data over two lines', hi.replaceAll('data: {', 'data: {\ndata: ')],
    ['W6 data without a space', hi.replaceAll('data: ', 'data:')],
    ['W7 no blank line at the end', hi.trimEnd()],
    ['W18 message_stop twice, and data after it', hi + stop + textBlock(1, 'no')],
    ['W19 no names', hi.replace(/^event: .*\n/gm, '')],
    ['W19 no names, and the end mark of another API', `${hi.replace(/^event: .*\n/gm, '')}data: [DONE]\n\n`],
    ['S-38 pings everywhere', hi.replaceAll('\n\n', `\n\n${event({ type: 'ping' })}`)],
  ])('%s: the answer is complete', async (_name, body) => {
    for (const chunkSize of [1, body.length]) {
      expect(await serve(body, { chunkSize })).toMatchObject({
        text: 'Hi!',
        finish: { reason: 'stop', raw: 'end_turn' },
        error: null,
      });
    }
  });

  test('W8 a clean close before the end emits no finish and no error', async () => {
    expect(await serve(hi, { cut: hi.length - stop.length })).toMatchObject({
      text: 'Hi!',
      finish: null,
      error: null,
    });
  });

  test('W9 a reset is an `interrupted` error that keeps its cause', async () => {
    const { text: so, finish, error } = await serve(begun, { end: 'reset', delayMs: 20 });
    expect({ so, finish, code: error?.code, retry: error?.retry }).toEqual({
      so: 'Hi',
      finish: null,
      code: 'interrupted',
      retry: 'now',
    });
    expect(error?.cause).toBeInstanceOf(Error);
  });

  test('W9 after `message_stop` a reset loses nothing of the answer', async () => {
    expect(await serve(hi, { end: 'reset', delayMs: 20 })).toMatchObject({
      text: 'Hi!',
      finish: { reason: 'stop' },
      error: null,
    });
  });

  test('W12 an event that is not JSON is a `server` error that shows the event, without console output', async () => {
    const log = vi.spyOn(console, 'error');
    for (const line of ['event: content_block_delta\ndata: oops\n\n', 'data: oops\n\n']) {
      const { text: so, error } = await serve(begun + line + end('end_turn'));
      expect(so).toBe('Hi');
      expect(error).toMatchObject({ code: 'server', details: { line: 'oops' } });
    }
    expect(log).not.toHaveBeenCalled();
  });

  test('W14 an event of 8 MB, in pieces of 64 kB, arrives whole', async () => {
    const long = 'x'.repeat(8 * 1024 * 1024);
    const answer = await serve(message(textBlock(0, long)), { chunkSize: 64 * 1024 });
    expect(answer.text.length).toBe(long.length);
    expect(answer.finish).not.toBeNull();
  });

  test('an answer ends at `message_stop` even if the server keeps the connection open', async () => {
    const answer = await serve(hi, { end: 'never' });
    expect(answer.finish).toEqual({ reason: 'stop', raw: 'end_turn' });
  });

  test('S14 a deprecated model prints no warning to the console', async () => {
    const warn = vi.spyOn(console, 'warn');
    const { finish } = await serve(hi, {}, { model: 'claude-sonnet-4-5-20250929' });
    expect(finish).not.toBeNull();
    expect(warn).not.toHaveBeenCalled();
  });
});

describe('errors in the stream', () => {
  test.each([
    ['S-29 overloaded', 'overloaded_error', 'overloaded'],
    ['a rate limit', 'rate_limit_error', 'rate-limit'],
    ['an internal error', 'api_error', 'server'],
    ['a timeout', 'timeout_error', 'server'],
    ['something odd', 'invalid_request_error', 'server'],
    ['something new', 'lunch_error', 'server'],
  ])('%s: the text before it is kept', async (_name, type, code) => {
    const error = { type: 'error', error: { type, message: 'Sorry' }, request_id: 'req_1' };
    const bodies = [
      event(error),
      event(error).replace('event: error\n', ''),
      event(error).replace(': error', ': oops'),
    ];
    for (const body of bodies) {
      const answer = await serve(begun + body + end('end_turn'));
      expect(answer).toMatchObject({ text: 'Hi', finish: null });
      expect(answer.error).toMatchObject({
        code,
        retry: 'now',
        details: { type, said: 'Sorry', requestId: 'req_1' },
      });
    }
  });

  test('S-29 the wait that the headers of the answer ask for is kept, and their request id', async () => {
    const body = begun + event({ type: 'error', error: { type: 'overloaded_error', message: 'Sorry' } });
    const { error } = await serve(body, { headers: { 'retry-after': '7', 'request-id': 'req_2' } });
    expect(error).toMatchObject({
      code: 'overloaded',
      retry: { afterMs: 7_000 },
      details: { requestId: 'req_2' },
    });
  });

  test.each([
    ['without a type', '{"error":{"type":"overloaded_error","message":"Sorry"}}', 'Sorry'],
    ['of another type', '{"type":"message","message":"Sorry"}', 'Sorry'],
    ['with nothing but words', '{"message":"Sorry"}', 'Sorry'],
    ['that is no JSON', 'Sorry', 'Sorry'],
    ['that is empty JSON', 'null', 'null'],
  ])('data %s in an event named `error` is an error', async (_name, data, said) => {
    const answer = await serve(`${begun}event: error\ndata: ${data}\n\n${end('end_turn')}`);
    expect(answer).toMatchObject({ text: 'Hi', finish: null, error: { code: expect.any(String) } });
    expect(answer.error?.details['said'] ?? '').toBe(said);
  });

  test('an error without type and name is an error', async () => {
    const answer = await serve(`${begun}data: {"error":{"type":"overloaded_error"}}\n\n${end('end_turn')}`);
    expect(answer).toMatchObject({ text: 'Hi', finish: null, error: { code: 'overloaded' } });
  });

  test('S6 S-29 an error as the first event is an error, without a second request', async () => {
    const body = event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    await using server = await startByteServer({ body });
    const { error, events } = await answerOf(anthropic({ model: 'm', baseURL: server.url }));
    expect(error).toMatchObject({ code: 'overloaded', retry: 'now' });
    expect(events).toEqual([]);
    expect(server.arrivals).toHaveLength(1);
  });
});

describe('W13 a success that is not a stream', () => {
  test.each([
    ['HTML', '<!doctype html><title>Sign in</title>', 'text/html', 'server', 'after-action'],
    [
      'JSON that is no answer',
      '{"type":"batch","content":[{"type":"text","text":"Hi"}]}',
      'application/json',
      'server',
      'now',
    ],
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
    const body = '{"type":"error","error":{"message":"no credit","type":"billing_error"}}';
    const { error } = await serve(body, { headers: { 'content-type': 'application/json' } });
    expect(error).toMatchObject({ code: 'quota', retry: 'after-action' });
  });

  test('events with another content type are still read', async () => {
    const answer = await serve(hi, { headers: { 'content-type': 'text/plain' } });
    expect(answer).toMatchObject({ text: 'Hi!', finish: { reason: 'stop' } });
  });
});

describe('abort', () => {
  test("S3 an abort in the middle closes the server's socket, and emits no finish", async () => {
    await using server = await startByteServer({
      body: start() + textBlock(0, ...Array<string>(200).fill('Hi')),
      chunkSize: 10,
      delayMs: 5,
    });
    const abort = new AbortController();
    const provider = anthropic({ model: 'm', baseURL: server.url });
    let seen = '';
    const reading = async () => {
      for await (const event of provider.stream(request(), abort.signal)) {
        if (event.type === 'finish') throw new Error('finished');
        if (event.type !== 'text') continue;
        seen += event.delta;
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
    const answer = answerOf(anthropic({ model: 'm', baseURL: server.url }), request(), abort.signal);
    await vi.waitFor(() => expect(server.arrivals).toHaveLength(1), 30_000);
    abort.abort();
    expect((await answer).error?.code).toBe('cancelled');
    expect(await server.arrivals[0]!.closed).toBe(true);
  });

  test('an abort before the request sends nothing', async () => {
    await using server = await startByteServer({ body: hi });
    const answer = await answerOf(
      anthropic({ model: 'm', baseURL: server.url }),
      request(),
      AbortSignal.abort(),
    );
    expect(answer.error?.code).toBe('cancelled');
    expect(server.arrivals).toHaveLength(0);
  });

  test('a reader that leaves closes the socket', async () => {
    await using server = await startByteServer({
      body: start() + textBlock(0, ...Array<string>(200).fill('Hi')),
      chunkSize: 10,
      delayMs: 5,
    });
    const provider = anthropic({ model: 'm', baseURL: server.url });
    for await (const _event of provider.stream(request(), new AbortController().signal)) break;
    expect(await server.arrivals[0]!.closed).toBe(true);
  });
});

describe('the request', () => {
  test('goes to the base URL, with or without its version, and carries the idempotency key', async () => {
    await using server = await startByteServer({ body: hi });
    for (const baseURL of [server.url, `${server.url}/`, `${server.url}/v1`, `${server.url}/v1/`]) {
      await answerOf(anthropic({ model: 'm', baseURL }));
      expect(server.arrivals.at(-1)?.path).toBe('/v1/messages');
    }
    const { body, headers } = server.arrivals[0]!;
    expect(body).toMatchObject({ model: 'm', stream: true, max_tokens: 32_000 });
    expect(headers['idempotency-key']).toBe('key-1');
  });

  test('S13 without a key, no authorization is sent, not even from the environment', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-of-another-app');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-of-another-app');
    const { arrival } = await serve(hi);
    expect(arrival.headers.authorization).toBeUndefined();
    expect(arrival.headers['x-api-key']).toBeUndefined();
    vi.unstubAllEnvs();
  });

  test('sends the key, the headers, and an idempotency header with another name', async () => {
    const { arrival } = await serve(
      hi,
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
    await using server = await startByteServer({ body: hi });
    let count = 0;
    const provider = anthropic({ model: 'm', baseURL: server.url, apiKey: () => `key-number-${++count}` });
    await answerOf(provider);
    await answerOf(provider);
    expect(server.arrivals.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer key-number-1',
      'Bearer key-number-2',
    ]);
  });

  test('S7 one refusal causes one request, because only the session retries', async () => {
    await using server = await startByteServer({ body: '{}', status: 503 });
    await answerOf(anthropic({ model: 'm', baseURL: server.url }));
    expect(server.arrivals).toHaveLength(1);
  });

  test('two answers at the same time do not mix', async () => {
    const one = (word: string) =>
      message(textBlock(0, ...Array<string>(50).fill(word)) + toolBlock(1, word, word, '{}'));
    await using server = await startByteServer(
      { body: one('a'), chunkSize: 9 },
      { body: one('b'), chunkSize: 11 },
    );
    const provider = anthropic({ model: 'm', baseURL: server.url });
    const answers = await Promise.all([answerOf(provider), answerOf(provider)]);
    const seen = answers.map(({ text, calls }) => [text, calls[0]?.id]).sort();
    expect(seen).toEqual([
      ['a'.repeat(50), 'a'],
      ['b'.repeat(50), 'b'],
    ]);
  });

  test('another client can be used, and is watched like the default client', async () => {
    const answer = await serve(
      hi,
      {},
      {
        client: async (given) => {
          const { Anthropic } = await import('@anthropic-ai/sdk');
          return new Anthropic({ ...given, defaultQuery: { region: 'eu' } });
        },
      },
    );
    expect(answer.finish?.reason).toBe('stop');
    expect(answer.arrival.path).toBe('/v1/messages?region=eu');
  });

  test('a signal that outlives its answer has no listener left', async () => {
    await using server = await startByteServer({ body: hi });
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    await answerOf(anthropic({ model: 'm', baseURL: server.url }), request(), signal);
    expect(add).toHaveBeenCalled();
    await vi.waitFor(() => expect(remove).toHaveBeenCalledTimes(add.mock.calls.length), 30_000);
  });

  test('the stream of a client that does not use the given fetch is read to message_stop', async () => {
    await using server = await startByteServer({ body: hi, end: 'never' });
    const provider = anthropic({
      model: 'm',
      baseURL: server.url,
      client: async (given) => {
        const { Anthropic } = await import('@anthropic-ai/sdk');
        return new Anthropic({ ...given, fetch: globalThis.fetch });
      },
    });
    expect((await answerOf(provider)).finish?.reason).toBe('stop');
    expect(await server.arrivals[0]!.closed).toBe(true);
  });
});
