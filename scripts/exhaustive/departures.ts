import type { ProviderRequest } from '@banister/provider';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openai } from '@banister/openai';
import { relay } from '@banister/relay';
import { createDeterministicRandom } from '@banister/testing';
import { anyUser, serve, serveGateway } from '../../test/kit/served-gateway.js';
import { startAwakeClock, type AwakeClock } from './awake-clock.js';
import { count, type Tally } from './tally.js';

/** The maximal number of clients at once. */
const AT_ONCE = 50;
/** The number of pieces of an answer. */
const DELTAS = 10;
/** By how many megabytes the heap may grow from the first half of the answers to the second. */
const MOST_GROWTH = 8;
/** Milliseconds after which the model must be closed. */
const PROMPTLY = 1_000;

/** The figures of answers whose clients leave. */
export interface DepartureFigures {
  /**
   * For each model, how many milliseconds it worked after its client had left, or after the request that was in transit then; shortest
   * first. Models that received no request are left out.
   */
  readonly closings: readonly number[];
  /** Megabytes in use after half of the answers, and after all answers. */
  readonly heap: { readonly halfway: number; readonly end: number };
  /** The number of open sockets at the end, of clients and to models. */
  readonly sockets: number;
}

/** The times of an answer. */
interface Answer {
  left?: number;
  asked?: number;
  closed?: number;
}

/**
 * Many clients ask through a gateway, over sockets, an official client and a server behind it. Each client leaves at a random moment, or
 * reads to the end; when it leaves, its model must end. Afterwards no socket may be open, and the heap must be as large as halfway.
 */
export async function checkDepartures(
  answers: number,
  seed: number,
  tally: Tally,
): Promise<DepartureFigures> {
  const random = createDeterministicRandom(seed);
  const answersByName = new Map<number, Answer>();
  using clock = startAwakeClock();
  await using upstream = await startPatientServer(clock, answersByName);
  await using gateway = await serveGateway({
    provider: openai({ model: 'm', baseURL: `${upstream.url}/v1`, apiKey: 'sk-canary-0123456789' }),
    ...anyUser,
  });
  const provider = relay(gateway.url);
  const closings: number[] = [];
  let halfway = 0;
  const atOnce = Math.min(AT_ONCE, Math.ceil(answers / 10));
  for (let done = 0; done < answers; done += atOnce) {
    if (halfway === 0 && done >= answers / 2) halfway = heapInUse();
    const names = Array.from({ length: Math.min(atOnce, answers - done) }, (_, at) => done + at);
    for (const name of names) answersByName.set(name, {});
    await Promise.all(names.map((name) => ask(provider, random, clock, name, answersByName.get(name)!)));
    await waitUntil(() => upstream.open() === 0);
    for (const [name, { left, asked, closed = clock.now() }] of answersByName) {
      const took = left === undefined || asked === undefined ? null : closed - Math.max(left, asked);
      if (took !== null) closings.push(took);
      const isPrompt = took === null || took <= PROMPTLY;
      const problem = `the model was open ${Math.round(took ?? 0)} ms after its client left`;
      count(tally, `answer ${name}`, isPrompt ? [] : [problem]);
    }
    answersByName.clear();
    // If a model stays open, the check ends, because each further batch would wait for it.
    if (upstream.open() > 0) break;
  }
  count(tally, 'models', upstream.open() === 0 ? [] : [`${upstream.open()} are open`]);
  // Idle connections that wait for another request are not left over from an answer.
  gateway.server.closeIdleConnections();
  upstream.server.closeIdleConnections();
  await waitUntil(() => gateway.openSockets() + upstream.openSockets() === 0);
  const sockets = gateway.openSockets() + upstream.openSockets();
  count(tally, 'sockets', sockets === 0 ? [] : [`${sockets} are open`]);
  const heap = { halfway, end: heapInUse() };
  const growth = heap.end - halfway;
  count(tally, 'heap', growth < MOST_GROWTH ? [] : [`it grew by ${growth.toFixed(1)} MB`]);
  return { closings: closings.sort((a, b) => a - b), heap, sockets };
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
  clock: AwakeClock,
  name: number,
  answer: Answer,
): Promise<void> {
  const client = new AbortController();
  // Before the first byte, behind a delta, or never.
  const leaves = Math.floor(random() * (DELTAS + 4)) - 1;
  const isPatient = leaves === 0 || leaves > DELTAS;
  const note = () => void (answer.left = clock.now());
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
 * A Chat Completions server whose answers have ten deltas, each in its own turn of the event loop. It ends an answer that its client reads to
 * the end; any other answer stays open until its client has left.
 *
 * @param answers receives the times at which each answer was requested and closed, by name
 */
async function startPatientServer(clock: AwakeClock, answers: ReadonlyMap<number, Answer>) {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  let open = 0;
  const served = await serve(async (incoming: object, outgoing: object) => {
    const [request, response] = [incoming as IncomingMessage, outgoing as ServerResponse];
    const [, name, end] = /Story (\d+)( to its end)?/.exec(await readText(request)) ?? [];
    // A client that has left may have sent a request that arrives after the end of its batch.
    const answer = answers.get(Number(name)) ?? {};
    answer.asked = clock.now();
    open++;
    response.on('close', () => {
      open--;
      answer.closed = clock.now();
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let sent = 1; sent <= DELTAS && !response.destroyed; sent++) {
      response.write(chunk({ content: `piece ${sent} ` }));
      await setImmediate();
    }
    if (end !== undefined) response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  });
  return { ...served, url: new URL(served.url).origin, open: () => open };
}

/** Megabytes that are in use after a collection. */
function heapInUse(): number {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed / 1e6;
}
