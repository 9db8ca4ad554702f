import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openai } from '@handrail/openai';
import { relay } from '@handrail/relay';
import type { ProviderRequest } from '@handrail/session/provider';
import { createDeterministicRandom } from '@handrail/testing';
import { anyUser, serveGateway } from '../../test/kit/served-gateway.js';
import { count, type Tally } from './tally.js';

/** The most clients at once. */
const AT_ONCE = 50;
/** Megabytes by which the heap may grow from the first half of the answers to the second. */
const MOST_GROWTH = 8;
/** Milliseconds after which the model must be closed. */
const PROMPTLY = 1_000;

/** What answers with departing clients left behind. */
export interface DepartureFigures {
  /** Milliseconds from the last departure of a batch to the closing of every model: the longest. */
  readonly slowest: number;
  /** Megabytes by which the heap grew in the second half. */
  readonly growth: number;
}

/**
 * Lets many clients ask through a gateway, over sockets, an official client and a server behind it. Each leaves at a moment of chance, or reads to
 * the end. Afterwards no socket is open, and the heap is as large as halfway.
 */
export async function checkDepartures(
  answers: number,
  seed: number,
  tally: Tally,
): Promise<DepartureFigures> {
  const random = createDeterministicRandom(seed);
  await using upstream = await startSlowServer();
  await using gateway = await serveGateway({
    provider: openai({ model: 'm', baseURL: `${upstream.url}/v1`, apiKey: 'sk-canary-0123456789' }),
    ...anyUser,
  });
  const provider = relay(gateway.url);
  let slowest = 0;
  let halfway = 0;
  const atOnce = Math.min(AT_ONCE, Math.ceil(answers / 10));
  for (let done = 0; done < answers; done += atOnce) {
    if (halfway === 0 && done >= answers / 2) halfway = heapInUse();
    const leaving = Array.from({ length: Math.min(atOnce, answers - done) }, () => ask(provider, random));
    await Promise.all(leaving);
    const left = performance.now();
    while (upstream.open() > 0 && performance.now() - left < 30_000) await sleep(2);
    const took = performance.now() - left;
    slowest = Math.max(slowest, took);
    const problems =
      took <= PROMPTLY ? [] : [`the model was open ${Math.round(took)} ms after its client left`];
    for (let i = 0; i < leaving.length; i++) count(tally, `answer ${done + i}`, i === 0 ? problems : []);
  }
  const ended = performance.now();
  // Those that wait for a next request are not left behind by an answer.
  gateway.server.closeIdleConnections();
  while (gateway.openSockets() > 0 && performance.now() - ended < 30_000) await sleep(2);
  const sockets = gateway.openSockets();
  count(tally, 'sockets', sockets === 0 ? [] : [`${sockets} are open`]);
  const growth = heapInUse() - halfway;
  count(tally, 'heap', growth < MOST_GROWTH ? [] : [`it grew by ${growth.toFixed(1)} MB`]);
  return { slowest, growth };
}

const request: ProviderRequest = {
  system: 'You help.',
  messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'A story.' }] }],
  tools: [],
  idempotencyKey: 'k',
};

async function ask(provider: ReturnType<typeof relay>, random: () => number): Promise<void> {
  const client = new AbortController();
  // Before the first byte, between two deltas, or never.
  const leaves = Math.floor(random() * 14) - 1;
  const timer = leaves < 0 ? setTimeout(() => client.abort(), random() * 10) : undefined;
  let read = 0;
  try {
    for await (const event of provider.stream(request, client.signal))
      if (event.type === 'text' && ++read === leaves) {
        if (random() < 0.5) break;
        client.abort();
      }
  } catch {
    // The client left.
  }
  clearTimeout(timer);
}

/** A server of Chat Completions whose answers have ten deltas, one in each turn of the event loop. */
async function startSlowServer() {
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  let open = 0;
  const server = createServer((incoming, response) => {
    open++;
    response.on('close', () => open--);
    incoming.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let sent = 0;
    const send = () => {
      if (response.destroyed) return;
      if (sent++ === 10) {
        response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
        return;
      }
      response.write(chunk({ content: `piece ${sent} ` }, null));
      setImmediate(send);
    };
    send();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => open,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Megabytes that are in use after a collection. */
function heapInUse(): number {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed / 1e6;
}
