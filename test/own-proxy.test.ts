// The proxy of docs/own-proxy.md, word by word: the official clients in front of it, over sockets, and servers of the APIs behind it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { anthropic } from '@banister/anthropic';
import { openai } from '@banister/openai';
import { createAgentSession, type Provider } from '@banister/session';
import { startByteServer, type Script } from './kit/byte-server.js';
import { writeDocExamples } from './kit/doc-examples.js';
import { startWatchedMock } from './kit/watched-aimock.js';

type Handle = (request: Request) => Promise<Response>;
interface Route {
  readonly url: string;
  readonly key: Readonly<Record<string, string>>;
  readonly models: readonly string[];
}
interface Page {
  ownProxy(options: {
    routes: Record<string, Route>;
    origins: readonly string[];
    isAllowed: (request: Request) => boolean;
    maxBytes?: number;
  }): Handle;
  toListener(handle: Handle): Parameters<typeof createServer>[1];
}

const key = 'sk-canary-0123456789abcdef';
const origin = 'https://app.example';
let page: Page;

beforeAll(async () => {
  const examples = writeDocExamples('own-proxy', ['docs/own-proxy.md']);
  const load = (word: string) =>
    import(/* @vite-ignore */ pathToFileURL(examples.find(({ code }) => code.includes(word))!.file).href);
  const modules = await Promise.all([load('function ownProxy'), load('function toListener')]);
  page = Object.assign({}, ...modules) as Page;
});

/** A path of each API, what answers there, and the provider that asks. */
const apis = {
  chat: {
    path: '/openai/chat/completions',
    upstream: '/v1/chat/completions',
    key: { authorization: `Bearer ${key}` },
    provider: (baseURL: string, fetch: typeof globalThis.fetch) =>
      openai({ model: 'm', baseURL: `${baseURL}/openai`, fetch }),
    firstPiece: `data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content: 'First' } }] })}\n\n`,
  },
  responses: {
    path: '/openai/responses',
    upstream: '/v1/responses',
    key: { authorization: `Bearer ${key}` },
    provider: (baseURL: string, fetch: typeof globalThis.fetch) =>
      openai({ model: 'm', api: 'responses', baseURL: `${baseURL}/openai`, fetch }),
    firstPiece: [
      { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { id: 'i', type: 'message', role: 'assistant', content: [] },
      },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'i', delta: 'First' },
    ]
      .map((data, at) => `event: ${data.type}\ndata: ${JSON.stringify({ sequence_number: at, ...data })}\n\n`)
      .join(''),
  },
  messages: {
    path: '/anthropic/v1/messages',
    upstream: '/v1/messages',
    key: { 'x-api-key': key },
    provider: (baseURL: string, fetch: typeof globalThis.fetch) =>
      anthropic({ model: 'm', baseURL: `${baseURL}/anthropic`, fetch }),
    firstPiece: [
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'First' } },
    ]
      .map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
      .join(''),
  },
};
type Api = keyof typeof apis;
const names = Object.keys(apis) as Api[];

/** The proxy on a socket, before a server; `seen` has all that left it towards the page. */
async function startProxy(
  upstream: string,
  options: { readonly maxBytes?: number; readonly isOpen?: boolean } = {},
) {
  const routes = Object.fromEntries(
    Object.values(apis).map((api) => [
      `/api/ai${api.path}`,
      { url: `${upstream}${api.upstream}`, key: api.key, models: ['m'] },
    ]),
  );
  const { isOpen = true, maxBytes = 2_000 } = options;
  const proxy = page.ownProxy({ routes, origins: [origin], isAllowed: () => isOpen, maxBytes });
  const server = createServer(page.toListener(proxy)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const seen: string[] = [];
  const watchedFetch: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    seen.push(JSON.stringify([...answer.headers]));
    const decoder = new TextDecoder();
    const watched = answer.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          seen.push(decoder.decode(piece, { stream: true }));
          controller.enqueue(piece);
        },
      }),
    );
    return new Response(watched, answer);
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/ai`;
  return {
    url,
    seen: () => seen.join(''),
    provider: (api: Api): Provider => apis[api].provider(url, watchedFetch),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const sessionOver = (provider: Provider) => createAgentSession({ provider, limits: { maxRetries: 0 } });

describe('the proxy of docs/own-proxy.md', () => {
  test.each(names)(
    'text of %s arrives whole, with the key of the server and no header of the page',
    async (api) => {
      await using server = await startWatchedMock();
      server.mock.onMessage('Hello', { content: 'Hi there! Grüße 🌍' });
      await using proxy = await startProxy(server.url);
      const { text } = await sessionOver(proxy.provider(api)).send('Hello');
      expect(text).toBe('Hi there! Grüße 🌍');
      expect(proxy.seen()).toContain('Gr');
      expect(proxy.seen()).not.toContain('canary');
    },
  );

  test.each(names)(
    'a piece of %s is shown while the server still writes; a cancel closes its connection',
    async (api) => {
      await using server = await startByteServer({ body: apis[api].firstPiece, end: 'never' });
      await using proxy = await startProxy(server.url);
      const session = sessionOver(proxy.provider(api));
      const turn = session.send('Hello').catch((reason: unknown) => reason);
      await vi.waitUntil(() => session.currentText.value === 'First', { timeout: 30_000, interval: 5 });
      expect(server.openConnections()).toBe(1);
      const start = performance.now();
      await session.cancel();
      expect(await server.arrivals[0]!.closed).toBe(true);
      expect(performance.now() - start).toBeLessThan(1_000);
      expect(await turn).toMatchObject({ code: 'cancelled' });
    },
  );

  test.each(names)(
    'a refusal of %s reaches the session with the wait that the server asks for',
    async (api) => {
      const refused: Script = {
        status: 429,
        headers: {
          'content-type': 'application/json',
          'retry-after': '7',
          'x-request-id': 'req_1',
          'set-cookie': 'a=b',
        },
        body: JSON.stringify({ error: { type: 'rate_limit_error', message: 'Too fast.' } }),
      };
      await using server = await startByteServer(refused);
      await using proxy = await startProxy(server.url);
      const error: unknown = await sessionOver(proxy.provider(api))
        .send('Hello')
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'rate-limit', retry: { afterMs: 7_000 } });
      expect(proxy.seen()).toContain('req_1');
      expect(proxy.seen()).not.toContain('a=b');
    },
  );

  test.each(names)('a key that the server of %s repeats does not leave towards the page', async (api) => {
    const refused: Script = {
      status: 401,
      headers: { 'content-type': 'application/json', 'x-key': key },
      body: JSON.stringify({
        error: { type: 'authentication_error', message: `Incorrect API key provided: ${key}` },
      }),
    };
    await using server = await startByteServer(refused);
    await using proxy = await startProxy(server.url);
    await expect(sessionOver(proxy.provider(api)).send('Hello')).rejects.toMatchObject({ code: 'auth' });
    expect(Object.values(server.arrivals[0]!.headers)).toContain(Object.values(apis[api].key)[0]);
    expect(proxy.seen()).toContain('[key]');
    expect(proxy.seen()).not.toContain('canary');
  });

  test('cookies, credentials and other headers of the page stay at the proxy', async () => {
    await using server = await startByteServer({ body: 'data: [DONE]\n\n' });
    await using proxy = await startProxy(server.url);
    const headers = {
      origin,
      'content-type': 'application/json',
      cookie: 'c=1',
      authorization: 'Bearer page',
      'x-other': '1',
    };
    const answer = await fetch(`${proxy.url}/openai/chat/completions`, {
      method: 'POST',
      headers,
      body: '{"model":"m"}',
    });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('cache-control')).toContain('no-transform');
    await answer.text();
    const sent = server.arrivals[0]!.headers;
    expect(sent.authorization).toBe(`Bearer ${key}`);
    for (const name of ['cookie', 'x-other', 'origin']) expect(sent).not.toHaveProperty(name);
  });

  test('the model that was checked is the only one that is sent on, whatever the body repeats', async () => {
    await using server = await startByteServer({ body: 'data: [DONE]\n\n' });
    await using proxy = await startProxy(server.url);
    const answer = await fetch(`${proxy.url}/openai/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"dear","model":"m"}',
    });
    await answer.text();
    expect(server.arrivals[0]!.text).toBe('{"model":"m"}');
  });

  test.each([
    ['a path that is not listed', 404, { path: '/openai/files' }],
    ['a path of every object', 404, { path: '/../../constructor' }],
    ['a model that is not on offer', 403, { body: '{"model":"other"}' }],
    ['a model that is no text', 403, { body: '{"model":["m"]}' }],
    ['a body that is no JSON', 403, { body: '{' }],
    ['a body that is no object', 403, { body: 'null' }],
    ['a body that is too large', 413, { body: JSON.stringify({ model: 'm', filler: 'x'.repeat(2_000) }) }],
    ['another type of body', 415, { headers: { 'content-type': 'text/plain' } }],
    [
      'another page',
      403,
      { headers: { origin: 'https://evil.example', 'content-type': 'application/json' } },
    ],
    ['another method', 405, { method: 'PUT' }],
  ])('%s is refused with %i, and nothing is sent on', async (_what, status, given) => {
    await using server = await startByteServer({ body: '' });
    await using proxy = await startProxy(server.url);
    const { path = '/openai/chat/completions', ...init } = given as RequestInit & { path?: string };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${proxy.url}${path}`, {
      method: 'POST',
      headers,
      body: '{"model":"m"}',
      ...init,
    });
    expect(answer.status).toBe(status);
    expect(server.arrivals).toEqual([]);
  });

  test('a user who may not ask is refused; a preflight of a listed page is answered', async () => {
    await using server = await startByteServer({ body: '' });
    await using proxy = await startProxy(server.url, { isOpen: false });
    const url = `${proxy.url}/anthropic/v1/messages`;
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(url, { method: 'POST', headers, body: '{"model":"m"}' })).status).toBe(401);
    const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin } });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    expect(server.arrivals).toEqual([]);
  });

  test('a server that cannot be reached, or redirects, is a 502; the redirect is not followed', async () => {
    await using target = await startByteServer({ body: '' });
    await using server = await startByteServer({ status: 307, headers: { location: target.url }, body: '' });
    const ask = async (upstream: string) => {
      await using proxy = await startProxy(upstream);
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: '{"model":"m"}' };
      return (await fetch(`${proxy.url}/openai/responses`, init)).status;
    };
    expect(await ask(server.url)).toBe(502);
    expect(await ask('http://127.0.0.1:9')).toBe(502);
    expect(target.arrivals).toEqual([]);
  });

  test('an answer that is cut behind the proxy is interrupted, not whole', async () => {
    await using server = await startByteServer({ body: apis.chat.firstPiece, end: 'reset' });
    await using proxy = await startProxy(server.url);
    await expect(sessionOver(proxy.provider('chat')).send('Hello')).rejects.toMatchObject({
      code: 'interrupted',
    });
  });
});
