import type { Provider, ProviderRequest } from '@banister/provider';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createAgentSession, immediate } from '@banister/session';
import { describe, expect, test } from 'vitest';
import { goodAnswers } from '../scripts/exhaustive/good-answers.js';
import { apiNames, apis } from '../scripts/replay/apis.js';

// Faults of a network in the answers of every API, over a real socket.

/** A server on this machine. */
async function serve(answer: RequestListener) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const request: ProviderRequest = {
  system: '',
  messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
  tools: [],
  idempotencyKey: 'key',
};

/** The result of a turn: its text, and the code that it failed with, if it did. */
async function turnWith(provider: Provider): Promise<{ readonly text: string; readonly code: string }> {
  await using session = createAgentSession({
    provider,
    limits: { maxRetries: 0 },
    ports: { scheduler: immediate() },
  });
  await session.send('Hello').catch(() => {});
  return { text: session.currentText.value, code: session.lastError.value?.code ?? '' };
}

describe.each(apiNames)('%s', { timeout: 60_000 }, (api) => {
  test('W17 a compressed answer that is cut short is interrupted, a whole one is not', async () => {
    // Every word another one, so that half of the compressed bytes is about half of the words.
    const words = Array.from({ length: 5_000 }, (_, index) => Math.sin(index).toString(36)).join(' ');
    const whole = gzipSync(goodAnswers[api].replace('Good.', words));
    for (const bytes of [whole, whole.subarray(0, whole.length / 2)]) {
      await using server = await serve((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
        response.end(bytes);
      });
      const answer = await turnWith(await apis[api].createProvider(server.url));
      expect(answer.code).toBe(bytes === whole ? '' : 'interrupted');
      expect(answer.text === words).toBe(bytes === whole);
      expect(words.startsWith(answer.text)).toBe(true);
    }
  });

  test('W20 a reader that pauses slows the server down, and then gets everything', async () => {
    const [piece, count] = ['x'.repeat(64 * 1024), 256];
    const [before = '', after = ''] = splitAround(goodAnswers[api], 'Good.');
    const delta = eventWith(goodAnswers[api], 'Good.').replace('Good.', piece);
    let sent = 0;
    await using server = await serve(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(before);
      for (; sent < count && !response.destroyed; sent++) {
        if (!response.write(delta)) await once(response, 'drain');
      }
      response.end(after);
    });
    const provider = await apis[api].createProvider(server.url);
    let length = 0;
    for await (const event of provider.stream(request, new AbortController().signal)) {
      if (event.type !== 'text') continue;
      if (length === 0) {
        // Until the server cannot go on.
        for (let last = -1; last !== sent || sent === 0; await sleep(100)) last = sent;
        expect(sent).toBeLessThan(count / 2);
      }
      length += event.delta.length;
    }
    expect(length).toBe(piece.length * count);
  });

  test('H13 a connection that is lost before the headers is tried again under the same key', async () => {
    const keys: IncomingHttpHeaders[string][] = [];
    await using server = await serve((arrived, response) => {
      keys.push(arrived.headers['idempotency-key']);
      if (keys.length === 1) response.socket?.resetAndDestroy();
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(goodAnswers[api]);
    });
    await using session = createAgentSession({
      provider: await apis[api].createProvider(server.url),
      ports: { scheduler: immediate(), random: () => 0 },
    });
    await session.send('Hello');
    expect(session.currentText.value).toBe('Good.');
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/./);
    expect(keys[1]).toBe(keys[0]);
  });
});

/** The text before and after the event with these words. */
function splitAround(body: string, words: string): readonly string[] {
  return body.split(eventWith(body, words));
}

function eventWith(body: string, words: string): string {
  return `${body.split('\n\n').find((event) => event.includes(words) && event.includes('elta'))}\n\n`;
}
