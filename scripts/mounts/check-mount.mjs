// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** The time limit for the start of a server, in milliseconds. */
const STARTED_MS = 60_000;
/** The time limit from the departure of a client to the end of the request to its model, in milliseconds. */
const CLOSED_MS = 1_000;

/** @param {object} delta @param {string | null} [finish_reason] */
const chunk = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/** Serves the Chat Completions API. The second half of an answer comes when `finish` is called. */
export async function startUpstream() {
  /** @type {import('node:http').ServerResponse[]} */
  const answers = [];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ content: 'Half. ' }));
    answers.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/v1`,
    answers,
    finish() {
      answers.at(-1)?.end(`${chunk({ content: 'Whole.' })}${chunk({}, 'stop')}data: [DONE]\n\n`);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Checks a gateway that is mounted at a path: its health, its capabilities, an answer that is read while the model still writes, and an
 * answer whose client leaves. Resolves with the time that the model stayed open after that, in milliseconds.
 *
 * @param {string} url
 * @param {Awaited<ReturnType<typeof startUpstream>>} upstream
 */
export async function checkMount(url, upstream) {
  await untilServed(`${url}/health`);
  const features = await fetch(url, { headers: { accept: 'application/json' } });
  same((await features.json()).model, 'default', 'the features have another alias');
  // SvelteKit itself refuses the content type of a form from another origin.
  const typed = await fetch(url, { method: 'POST', body: '{}' });
  same([403, 415].includes(typed.status), true, 'a body without its type is not refused');

  const read = await ask(url);
  const half = await read.until('Half. ');
  same(half.includes('"finish"'), false, 'the answer came as a whole');
  upstream.finish();
  await read.until('"finish"');
  same((await read.rest()).trim(), '', 'something follows the end');

  const left = await ask(url);
  await left.until('Half. ');
  const model = upstream.answers.at(-1);
  same(upstream.answers.length, 2, 'an answer has not one request to the model');
  const began = performance.now();
  left.leave();
  while (!model?.destroyed && performance.now() - began < 10 * CLOSED_MS) await sleep(5);
  const took = Math.round(performance.now() - began);
  if (took > CLOSED_MS) throw new Error(`the model was open ${took} ms after its client left`);
  return took;
}

/** @param {string} health */
async function untilServed(health) {
  const began = performance.now();
  for (;;) {
    const status = await fetch(health).then(
      async (response) => (await response.json()).status,
      () => null,
    );
    if (status === 'ok') return;
    if (performance.now() - began > STARTED_MS) throw new Error('the server did not start');
    await sleep(100);
  }
}

/** @param {string} url */
async function ask(url) {
  const client = new AbortController();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      version: 1,
      system: '',
      messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
      tools: [],
      idempotencyKey: 'k',
    }),
    signal: client.signal,
  });
  same(response.status, 200, 'the answer has another status');
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const decoder = new TextDecoder();
  let text = '';
  return {
    /** @param {string} part */
    async until(part) {
      while (!text.includes(part)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the answer ended without ${part}: ${text}`);
        text += decoder.decode(value, { stream: true });
      }
      return text;
    },
    async rest() {
      let rest = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return rest;
        rest += decoder.decode(value, { stream: true });
      }
    },
    leave: () => client.abort(),
  };
}

/** @param {unknown} actual @param {unknown} expected @param {string} otherwise */
function same(actual, expected, otherwise) {
  if (actual !== expected) throw new Error(`${otherwise}: ${String(actual)}`);
}
