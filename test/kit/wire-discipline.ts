import type { Provider } from '@banister/provider';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ServerOptions } from '@banister/wire';
import { answerOf } from './answer.js';
import { startByteServer, type Script } from './byte-server.js';

/** An adapter, and bytes that its API would send. */
export interface Disciplined {
  readonly name: string;
  createProvider(url: string, options?: Partial<ServerOptions>): Provider;
  /** The beginning of an answer, up to the text "Hi". */
  readonly begun: string;
  /** The rest of the answer. */
  readonly ending: string;
}

/** Promises that every adapter keeps, through its official client and over a real socket. */
export function describeWireDiscipline({ name, createProvider, begun, ending }: Disciplined): void {
  async function serve(script: Script, options: Partial<ServerOptions> = {}) {
    await using server = await startByteServer(script);
    const answer = await answerOf(createProvider(server.url, options));
    const closed = script.end === 'never' ? await server.arrivals[0]!.closed : null;
    return { ...answer, closed };
  }

  describe(`${name}: time`, () => {
    test('W10 a stall in the middle is an interruption, with the text before it', async () => {
      const answer = await serve({ body: begun, end: 'never' }, { limits: { idleTimeoutMs: 50 } });
      expect(answer).toMatchObject({
        text: 'Hi',
        finish: null,
        error: { code: 'interrupted', retry: 'now', details: { limit: 'idleTimeoutMs', afterMs: 50 } },
        closed: true,
      });
    });

    test('W10 no event after the headers is an interruption', async () => {
      let isCancelled = false;
      const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
      const fetch = () =>
        Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
      const limits = { firstEventTimeoutMs: 50 };
      const answer = await answerOf(createProvider('http://test.invalid', { fetch, limits }));
      expect(answer).toMatchObject({
        text: '',
        error: { code: 'interrupted', retry: 'now', details: { limit: 'firstEventTimeoutMs' } },
      });
      expect(isCancelled).toBe(true);
    });

    test('W10 no headers are a network error', async () => {
      const limits = { firstEventTimeoutMs: 50 };
      const fetch: typeof globalThis.fetch = (_input, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(new Error('gone')));
        });
      const { error } = await answerOf(createProvider('http://test.invalid', { fetch, limits }));
      expect(error).toMatchObject({
        code: 'network',
        retry: 'now',
        details: { limit: 'firstEventTimeoutMs', afterMs: 50 },
      });
    });

    test('W11 comments for ever are ended by the deadline', async () => {
      const script = { body: begun + ': ping\n\n'.repeat(2_000), chunkSize: 100, delayMs: 5 };
      const answer = await serve({ ...script, end: 'never' }, { limits: { answerTimeoutMs: 500 } });
      expect(answer).toMatchObject({
        finish: null,
        error: { code: 'interrupted', details: { limit: 'answerTimeoutMs' } },
        closed: true,
      });
    });
  });

  describe(`${name}: size`, () => {
    test('W15 a line without end is an error', async () => {
      const body = `${begun}data: ${'x'.repeat(20_000)}`;
      const answer = await serve({ body, end: 'never' }, { limits: { maxEventBytes: 10_000 } });
      expect(answer).toMatchObject({
        error: { code: 'server', details: { limit: 'maxEventBytes', bytes: 10_000 } },
        closed: true,
      });
    });

    test('W15 an answer without end is an error', async () => {
      const body = begun + ': ping\n\n'.repeat(5_000);
      const answer = await serve({ body, end: 'never' }, { limits: { maxAnswerBytes: 10_000 } });
      expect(answer).toMatchObject({
        error: { code: 'server', details: { limit: 'maxAnswerBytes', bytes: 10_000 } },
        closed: true,
      });
    });

    test('a limit that is none is refused at once', () => {
      expect(() => createProvider('http://test.invalid', { limits: { idleTimeoutMs: -1 } })).toThrowError(
        expect.objectContaining({ code: 'invalid-configuration' }),
      );
    });
  });

  describe(`${name}: the way`, () => {
    test('H10 S12 a redirect is refused, and the other server never asked', async () => {
      await using other = await startByteServer({ body: begun + ending });
      const location = `${other.url}/timed-out`; // a word that clients take for a timeout
      const { error } = await serve({ body: '', status: 307, headers: { location } });
      expect(error).toMatchObject({
        code: 'invalid-configuration',
        retry: 'after-action',
        details: { status: 307, location },
      });
      expect(other.arrivals).toEqual([]);
    });

    test('W17 a packed body that is cut is no whole answer, though the client says nothing', async () => {
      const { gzipSync } = await import('node:zlib');
      const body = gzipSync(begun + ending);
      const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
      const whole = await serve({ body, headers });
      expect(whole).toMatchObject({ text: 'Hi', error: null });
      const answer = await serve({ body, headers, cut: Math.floor(body.length * 0.7) });
      expect(answer.finish).toBeNull(); // which the session calls interrupted
      expect('Hi'.startsWith(answer.text)).toBe(true);
    });

    test('W2 W20 a reader that takes its time gets everything', async () => {
      await using server = await startByteServer({ body: begun + ending, chunkSize: 50 });
      const provider = createProvider(server.url, { limits: { idleTimeoutMs: 20_000 } });
      let text = '';
      const abort = new AbortController();
      const request = { system: '', messages: [], tools: [], idempotencyKey: 'k' };
      for await (const event of provider.stream(request, abort.signal)) {
        if (event.type === 'text') text += event.delta;
        await new Promise(setImmediate);
      }
      expect(text).toBe('Hi');
    });
  });

  describe(`${name}: keys`, () => {
    const secret = 'opensesame-0123456789';

    test.each([
      ['the key', { apiKey: secret }, 'Bearer '],
      ['a fetched key', { apiKey: () => secret }, ''],
      ['a header', { headers: { 'X-Gateway-Token': secret } }, 'token '],
      ['an Authorization header', { headers: { Authorization: `Bearer ${secret}` } }, ''],
    ])('H1 %s that a server repeats is never printed', async (_name, options, before) => {
      for (const status of [200, 400, 500]) {
        const said = JSON.stringify({
          type: 'error',
          error: { message: `bad ${before}${secret}`, type: 'x' },
        });
        const body = status === 200 ? `${begun}event: error\ndata: ${said}\n\n` : said;
        const { error } = await serve({ body, status }, options);
        expect(error).not.toBeNull();
        expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('opensesame');
        expect(JSON.stringify(error)).not.toContain('opensesame');
      }
    });

    test('H11 a key in what the connection failed with is never printed', async () => {
      const fetch = () => {
        const cause = new Error(`connect to https://ai.example/v1?key=${secret} failed for Bearer ${secret}`);
        return Promise.reject(new TypeError('fetch failed', { cause }));
      };
      const { error } = await answerOf(createProvider('http://test.invalid', { fetch, apiKey: secret }));
      expect(error).toMatchObject({ code: 'network', cause: expect.any(Error) as Error });
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('opensesame');
    });
  });
}
