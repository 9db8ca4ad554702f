import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openai } from '@handrail/openai';
import { relay } from '@handrail/relay';
import type { ProviderRequest } from '@handrail/session/provider';
import { createDeterministicRandom } from '@handrail/testing';
import { anyUser, serve, serveGateway } from '../../test/kit/served-gateway.js';
import { count, type Tally } from './tally.js';

/** The most clients at once. */
const AT_ONCE = 50;
/** The pieces of an answer. */
const DELTAS = 10;
/** Megabytes by which the heap may grow from the first half of the answers to the second. */
const MOST_GROWTH = 8;
/** Milliseconds after which the model must be closed. */
const PROMPTLY = 1_000;

/** What answers with departing clients left behind. */
export interface DepartureFigures {
  /** Milliseconds from each departure to the closing of its model, where the model had answered: the shortest first. */
  readonly closings: readonly number[];
  /** Megabytes by which the heap grew in the second half. */
  readonly growth: number;
}

/**
 * Lets many clients ask through a gateway, over sockets, an official client and a server behind it. Each leaves at a moment of chance, or reads to
 * the end; the model of one that leaves ends by that alone. Afterwards no socket is open, and the heap is as large as halfway.
 */
export async function checkDepartures(
  answers: number,
  seed: number,
  tally: Tally,
): Promise<DepartureFigures> {
  const random = createDeterministicRandom(seed);
  const departures = new Map<number, number>();
  const closed = new Map<number, number>();
  await using upstream = await startPatientServer(closed);
  await using gateway = await serveGateway({
    provider: openai({ model: 'm', baseURL: `${upstream.url}/v1`, apiKey: 'sk-canary-0123456789' }),
    ...anyUser,
  });
  const provider = relay(gateway.url);
  const closings: number[] = [];
  let halfway = 0;
  const atOnce = Math.min(AT_ONCE, Math.ceil(answers / 10));
  // A model that stays open ends the check: each further batch would wait for it.
  for (let done = 0; done < answers && upstream.open() === 0; done += atOnce) {
    if (halfway === 0 && done >= answers / 2) halfway = heapInUse();
    const names = Array.from({ length: Math.min(atOnce, answers - done) }, (_, at) => done + at);
    await Promise.all(names.map((name) => ask(provider, random, name, departures)));
    await waitUntil(() => upstream.open() === 0);
    const now = performance.now();
    for (const name of names) {
      const left = departures.get(name);
      const until = closed.get(name) ?? (upstream.isOpen(name) ? now : undefined);
      const took = left === undefined || until === undefined ? null : until - left;
      if (took !== null) closings.push(took);
      const isPrompt = took === null || took <= PROMPTLY;
      const problem = `the model was open ${Math.round(took ?? 0)} ms after its client left`;
      count(tally, `answer ${name}`, isPrompt ? [] : [problem]);
    }
    departures.clear();
    closed.clear();
  }
  count(tally, 'models', upstream.open() === 0 ? [] : [`${upstream.open()} are open`]);
  // Those that wait for a next request are not left behind by an answer.
  gateway.server.closeIdleConnections();
  upstream.server.closeIdleConnections();
  await waitUntil(() => gateway.openSockets() + upstream.openSockets() === 0);
  for (const [side, { openSockets }] of Object.entries({ gateway, model: upstream }))
    count(tally, `sockets of the ${side}`, openSockets() === 0 ? [] : [`${openSockets()} are open`]);
  const growth = heapInUse() - halfway;
  count(tally, 'heap', growth < MOST_GROWTH ? [] : [`it grew by ${growth.toFixed(1)} MB`]);
  return { closings: closings.sort((a, b) => a - b), growth };
}

/** Resolves when a condition holds, or after half a minute. */
async function waitUntil(condition: () => boolean): Promise<void> {
  const began = performance.now();
  while (!condition() && performance.now() - began < 30_000) await sleep(2);
}

/** Asks for an answer with a name, and notes the time at which its client leaves. */
async function ask(
  provider: ReturnType<typeof relay>,
  random: () => number,
  name: number,
  departures: Map<number, number>,
): Promise<void> {
  const client = new AbortController();
  // Before the first byte, behind a delta, or never.
  const leaves = Math.floor(random() * (DELTAS + 4)) - 1;
  const isPatient = leaves === 0 || leaves > DELTAS;
  const note = () => departures.set(name, performance.now());
  const leave = () => {
    note();
    client.abort();
  };
  const timer = leaves < 0 ? setTimeout(leave, random() * 10) : undefined;
  let read = 0;
  try {
    const text = `Story ${name}${isPatient ? ' to its end' : ''}.`;
    for await (const event of provider.stream(requestOf(text), client.signal)) {
      if (event.type !== 'text' || ++read !== leaves) continue;
      if (random() < 0.5) leave();
      else {
        note();
        break;
      }
    }
  } catch {
    // The client left.
  }
  clearTimeout(timer);
}

function requestOf(text: string): ProviderRequest {
  return {
    system: 'You help.',
    messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text }] }],
    tools: [],
    idempotencyKey: 'k',
  };
}

/**
 * A server of Chat Completions whose answers have ten deltas, one in each turn of the event loop. It ends those that are asked for to their end; any
 * other stays open until its client has left.
 *
 * @param closed gets the time at which each answer was closed, by its name
 */
async function startPatientServer(closed: Map<number, number>) {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const open = new Set<number>();
  const served = await serve(async (incoming: object, outgoing: object) => {
    const [request, response] = [incoming as IncomingMessage, outgoing as ServerResponse];
    const [, name, end] = /Story (\d+)( to its end)?/.exec(await readText(request)) ?? [];
    open.add(Number(name));
    response.on('close', () => {
      open.delete(Number(name));
      closed.set(Number(name), performance.now());
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let sent = 1; sent <= DELTAS && !response.destroyed; sent++) {
      response.write(chunk({ content: `piece ${sent} ` }));
      await setImmediate();
    }
    if (end !== undefined) response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  });
  return {
    ...served,
    url: new URL(served.url).origin,
    open: () => open.size,
    isOpen: (name: number) => open.has(name),
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
