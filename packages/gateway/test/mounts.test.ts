import type { ProviderRequest } from '@banister/provider';
import { serve as serveHono } from '@hono/node-server';
import express from 'express';
import { H3, fromWebHandler, toNodeHandler as h3ToNodeHandler } from 'h3';
import { Hono } from 'hono';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import {
  createVirtualClock,
  gate,
  say,
  scriptedProvider,
  stall,
  type ScriptedProvider,
} from '@banister/testing';
import { relay } from '@banister/relay';
import { describe, expect, test, vi } from 'vitest';
import { anyUser, serve } from '../../../test/kit/served-gateway.js';
import { gateway, type GatewayHandler } from '../src/index.js';
import { toNodeHandler } from '../src/node.js';
import { bodyOf, post, reading } from './ask.js';

// Each mount of docs/gateway.md, either in its own runtime or as the function that its framework calls.

const request: ProviderRequest = {
  system: '',
  messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }],
  tools: [],
  idempotencyKey: 'k',
};

interface Served extends AsyncDisposable {
  readonly url: string;
}

type Mount = (handle: GatewayHandler) => Promise<Served>;

const mounts: Record<string, Mount> = {
  Node: (handle) => serve(toNodeHandler(handle)),
  Express: async (handle) => {
    const app = express();
    app.use('/agent', toNodeHandler(handle));
    return serve(app as never);
  },
  'Express behind express.json()': async (handle) => {
    const app = express();
    app.use(express.json({ limit: '16mb' }));
    app.use('/agent', toNodeHandler(handle));
    return serve(app as never);
  },
  Hono: async (handle) => {
    const app = new Hono();
    app.all('/agent/*', (context) => handle(context.req.raw));
    const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
    if (!server.listening) await once(server, 'listening');
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`,
      async [Symbol.asyncDispose]() {
        if ('closeAllConnections' in server) server.closeAllConnections();
        server.close();
        await once(server, 'close');
      },
    };
  },
  'Nitro, by h3': async (handle) => {
    const app = new H3();
    app.all('/agent/**', fromWebHandler(handle));
    return serve(h3ToNodeHandler(app) as never);
  },
};

async function textOf(url: string): Promise<string> {
  let text = '';
  for await (const event of relay(url).stream(request, new AbortController().signal))
    if (event.type === 'text') text += event.delta;
  return text;
}

async function leaves(url: string, provider: ScriptedProvider): Promise<number> {
  const client = new AbortController();
  const reading = (async () => {
    for await (const event of relay(url).stream(request, client.signal)) void event;
  })().catch(() => {});
  await vi.waitFor(() => expect(provider.streams.at(-1)?.emitted).toBe(1), 30_000);
  const left = performance.now();
  client.abort();
  await reading;
  await vi.waitFor(() => expect(provider.streams.at(-1)?.closed).toBe(true), {
    timeout: 30_000,
    interval: 5,
  });
  return performance.now() - left;
}

describe.each(Object.entries(mounts))('mounted in %s', (_name, mount) => {
  test('a gateway answers requests, reports its health and features, and refuses invalid requests', async () => {
    const provider = scriptedProvider([], { otherwise: say('Hi there.'), validate: false });
    await using server = await mount(gateway({ provider, ...anyUser }));
    expect(await textOf(`${server.url}/`)).toBe('Hi there.');
    expect(await (await fetch(`${server.url}/health`)).json()).toEqual({ status: 'ok' });
    expect((await relay(`${server.url}/`).ready()).images).toBe(true);
    expect((await fetch(`${server.url}/`, { method: 'DELETE' })).status).toBe(405);
  });

  test('P11 P12 the first byte comes before the model answers, and a client that leaves closes it within a second', async () => {
    const provider = scriptedProvider([], { otherwise: stall('Hm'), validate: false });
    await using server = await mount(gateway({ provider, ...anyUser }));
    const response = await fetch(`${server.url}/`, post());
    expect(response.headers.get('cache-control')).toContain('no-transform');
    const reader = response.body!.getReader();
    expect((await reader.read()).value![0]).toBe(10);
    await reader.cancel();
    expect(await leaves(`${server.url}/`, provider)).toBeLessThan(1_000);
  });
});

describe('mounted by its signature', () => {
  const handle = gateway({
    provider: scriptedProvider([], { otherwise: say('Hi.'), validate: false }),
    ...anyUser,
  });

  test('works as a route of Next, and ignores the context', async () => {
    // app/agent/[[...path]]/route.ts: export { handle as GET, handle as POST, handle as OPTIONS };
    const POST: (request: Request, context: { params: Promise<object> }) => Promise<Response> = handle;
    expect(await (await POST(post(), { params: Promise.resolve({}) })).text()).toContain('"Hi."');
  });

  test('works in a route of SvelteKit, which passes the request', async () => {
    // src/routes/agent/[...path]/+server.ts: export const POST: RequestHandler = ({ request }) => handle(request);
    const POST = ({ request }: { request: Request }) => handle(request);
    expect(await (await POST({ request: post() })).text()).toContain('"Hi."');
  });

  test('works as the `fetch` function of Deno, Bun and Workers', async () => {
    const worker = { fetch: handle };
    expect(await (await worker.fetch(post())).text()).toContain('"Hi."');
  });
});

describe('a read over a socket', () => {
  const image = 'image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8';
  const other = { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' };
  /** Returns the status of a `GET` that has only these headers, and how often the user was looked up. */
  const readAs = async (headers: Record<string, string>, path = '') => {
    const authorize = vi.fn(() => ({ user: 'u1' }));
    const provider = scriptedProvider([]);
    await using server = await serve(
      toNodeHandler(gateway({ provider, ...anyUser, authorize, cors: [other.origin] })),
    );
    const client = httpRequest(server.url + path, { headers });
    client.end();
    const [response] = (await once(client, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return [response.statusCode, authorize.mock.calls.length];
  };

  test.each([
    ['an image of another site', { accept: image, 'sec-fetch-site': 'cross-site' }, 403],
    ['an image of another origin of the site', { accept: image, 'sec-fetch-site': 'same-site' }, 403],
    [
      'a request of another site that names the type',
      { accept: 'text/event-stream', 'sec-fetch-site': 'cross-site' },
      403,
    ],
    [
      'an image that an answer puts into the own page',
      { accept: image, 'sec-fetch-site': 'same-origin' },
      406,
    ],
    ['an image in a browser that names no site', { accept: image }, 406],
    ['a script in a browser that names no site', { accept: '*/*' }, 406],
    ['a similar type', { accept: 'application/json-seq' }, 406],
  ])('served H10 is refused before authorize is called: %s', async (_name, headers, status) => {
    expect(await readAs(headers as Record<string, string>)).toEqual([status, 0]);
  });

  test.each([
    ['the own page', { accept: 'application/json', 'sec-fetch-site': 'same-origin' }],
    ['an EventSource of the own page', { accept: 'text/event-stream', 'sec-fetch-site': 'same-origin' }],
    ['a page of an allowed origin', { ...other, accept: 'application/json' }],
    ['a program that names the type', { accept: 'text/plain, Application/JSON;q=0.9, */*' }],
    ['a program without accept', {}],
  ])('served H10 is answered: %s', async (_name, headers) => {
    expect(await readAs(headers as Record<string, string>)).toEqual([200, 1]);
  });

  test('served H10 the health of the gateway is answered to every page', async () => {
    expect(await readAs({ accept: image, 'sec-fetch-site': 'cross-site' }, '/health')).toEqual([200, 0]);
  });
});

describe('a handler of Node', () => {
  test('keeps "__proto__" out, also if Express has parsed the body', async () => {
    const app = express();
    app.use(express.json());
    const provider = scriptedProvider([], { otherwise: say('Hi.'), validate: false });
    app.use('/agent', toNodeHandler(gateway({ provider, ...anyUser })));
    await using server = await serve(app as never);
    const body = JSON.stringify(bodyOf()).replace('"tools":[]', '"tools":[],"__proto__":{"a":1}');
    const response = await fetch(server.url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(400);
    expect(provider.requests).toEqual([]);
  });

  test('takes a body that was read as text or as bytes', async () => {
    for (const parser of [express.text({ type: '*/*' }), express.raw({ type: '*/*' })]) {
      const app = express();
      app.use(parser);
      app.use(
        '/agent',
        toNodeHandler(gateway({ provider: scriptedProvider([say('Hi.')], { validate: false }), ...anyUser })),
      );
      await using server = await serve(app as never);
      expect(await textOf(server.url)).toBe('Hi.');
    }
  });

  test('P7 of an open gateway refuses clients from other addresses', async () => {
    const handle = toNodeHandler(
      gateway({ provider: scriptedProvider([say('Hi.')]), open: 'localhost', seal: 'per-process' }),
    );
    let address = '::ffff:192.168.0.7';
    await using server = await serve((incoming, response) => {
      Object.defineProperty((incoming as { socket: object }).socket, 'remoteAddress', {
        configurable: true,
        get: () => address,
      });
      return handle(incoming, response);
    });
    const status = async () => (await fetch(server.url, { headers: reading })).status;
    expect(await status()).toBe(403);
    for (address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(await status()).toBe(200);
  });

  test('P11 pipelined requests are answered in turn, and ask no model if their client has left', async () => {
    const held = gate();
    const provider = scriptedProvider([say(['First.', held]), say('Second.')], {
      otherwise: stall('Once'),
      validate: false,
    });
    await using server = await serve(toNodeHandler(gateway({ provider, ...anyUser })));
    const body = JSON.stringify(bodyOf());
    const head = 'POST /agent HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
    const asked = `${head}content-length: ${body.length}\r\n\r\n${body}`;
    const client = connect(Number(new URL(server.url).port), '127.0.0.1');
    let text = '';
    client.on('data', (bytes) => (text += String(bytes)));
    client.write(asked.repeat(4));
    await vi.waitFor(() => expect(text).toContain('"First."'), 30_000);
    held.open();
    await vi.waitFor(() => expect(text).toMatch(/"First\."[^]*"finish"[^]*"Second\."[^]*"Once"/), 30_000);
    client.destroy();
    // The fourth request waits for the third, which never ends.
    await vi.waitFor(() => expect(provider.streams.map(({ closed }) => closed)).toEqual([true, true, true]), {
      timeout: 30_000,
      interval: 5,
    });
    await vi.waitFor(() => expect(server.openSockets()).toBe(0), 30_000);
    expect(provider.requests).toHaveLength(3);
  });

  test('P11 a slow client on a socket delays no other client, and after a minute its connection is closed', async () => {
    let emitted = 0;
    const provider = {
      id: 'endless',
      model: 'm',
      capabilities: { images: false },
      async *stream(asked: ProviderRequest, signal: AbortSignal) {
        if (asked.system === 'short') {
          yield { type: 'text', delta: 'Hi.' } as const;
          yield { type: 'finish', reason: 'stop' } as const;
          return;
        }
        while (!signal.aborted) {
          emitted++;
          yield { type: 'text', delta: 'x'.repeat(10_000) } as const;
          if (emitted % 50 === 0) await new Promise(setImmediate);
        }
      },
    };
    const clock = createVirtualClock();
    await using server = await serve(toNodeHandler(gateway({ provider, ...anyUser, clock })));
    const slow = httpRequest(server.url, { method: 'POST', headers: { 'content-type': 'application/json' } });
    slow.end(JSON.stringify(bodyOf()));
    const [response] = (await once(slow, 'response')) as [NodeJS.ReadableStream & { destroy(): void }];
    response.pause();
    // The model is read until the socket, the stream and the answer are full.
    let before = -1;
    await vi.waitFor(
      () => {
        const isStill = emitted === before;
        before = emitted;
        expect(isStill).toBe(true);
      },
      { timeout: 30_000, interval: 50 },
    );
    // Far below a megabyte of characters, plus what the two sockets hold.
    expect(emitted * 10_000).toBeLessThan(16_000_000);
    let text = '';
    for await (const event of relay(server.url).stream(
      { ...request, system: 'short' },
      new AbortController().signal,
    ))
      if (event.type === 'text') text += event.delta;
    expect(text).toBe('Hi.');
    server.server.closeIdleConnections();
    await vi.waitFor(() => expect(server.openSockets()).toBe(1), 30_000);
    await clock.advance(60_000);
    // The client still reads nothing.
    await vi.waitFor(() => expect(server.openSockets()).toBe(0), 30_000);
    response.destroy();
  });
});
