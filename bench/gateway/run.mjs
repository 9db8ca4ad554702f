// npm run bench -- gateway: the first byte with a gateway and without, the CPU of many streams beside a floor, the memory of slow readers.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { fileURLToPath } from 'node:url';

const STREAMS = 200;
const DELTAS = 1_000;
const SLOW = 20;

const request = {
  system: 'You help.',
  messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
  tools: [],
  idempotencyKey: 'k',
};

/** Measures all, and prints a table. */
export async function benchGateway() {
  const upstream = start('../inputs/sse-server.mjs');
  const [port] = await once(upstream, 'message');
  const address = `http://127.0.0.1:${port}`;
  const sides = { floor: await startSide('floor', address), gateway: await startSide('gateway', address) };
  try {
    const first = await firstBytes(address, sides);
    console.log('| measure | floor | gateway | difference | bar |\n| --- | --- | --- | --- | --- |');
    // Where three processes wait for two cores, the fastest tenth shows what the code itself takes.
    for (const [name, share] of [
      ['p50', 0.5],
      ['p10', 0.1],
    ]) {
      const [direct, through, fetched, passedOn] = ['direct', 'through', 'fetched', 'passedOn'].map((side) =>
        quantile(first[side], share),
      );
      const bar = name === 'p50' ? '≤ 2 ms' : '';
      row(`ms to the first text, ${name}`, direct, through, `${(through - direct).toFixed(2)} ms`, bar);
      row(
        `ms to the first piece by fetch, ${name}: the model, and a server that passes on its chunks`,
        fetched,
        passedOn,
        `${(passedOn - fetched).toFixed(2)} ms`,
        '',
      );
    }
    const cpu = {};
    for (const round of [0, 1, 2])
      for (const [name, side] of Object.entries(sides)) {
        const took = await cpuOfStreams(side);
        // The first round warms up.
        if (round > 0) cpu[name] = Math.min(cpu[name] ?? Infinity, took);
      }
    row(
      `µs CPU per delta, ${STREAMS} streams of ${DELTAS}`,
      cpu.floor,
      cpu.gateway,
      `${(cpu.gateway / cpu.floor).toFixed(2)}x`,
      '≤ 2x',
    );
    // A process of its own: the heap of the other one has grown.
    sides.fresh = await startSide('gateway', address);
    const memory = await memoryOfSlowReaders(sides.fresh);
    row(`MB for ${SLOW} readers that read nothing of 300,000 deltas`, 0, memory, '', `≤ ${SLOW * 8} MB`);
  } finally {
    for (const { child } of Object.values(sides)) child.kill();
    upstream.kill();
  }
}

function row(name, floor, gateway, difference, bar) {
  console.log(`| ${name} | ${floor.toFixed(2)} | ${gateway.toFixed(2)} | ${difference} | ${bar} |`);
}

/** The time to the first text with a gateway and without, and what a server costs that does no more than pass on what the official client reads. */
async function firstBytes(upstream, sides) {
  const { openai } = await import('../../.cache/bench/node_modules/@handrail/openai/dist/index.js');
  const { relay } = await import('../../.cache/bench/node_modules/@handrail/relay/dist/index.js');
  const providers = {
    direct: openai({ model: 'bench', baseURL: `${upstream}/v1/10/v1`, apiKey: 'none' }),
    through: relay(sides.gateway.url, { model: 'm10' }),
  };
  const completion = { model: 'bench', messages: [{ role: 'user', content: 'Hello' }], stream: true };
  const fetches = {
    fetched: () => firstPiece(`${upstream}/v1/10/v1/chat/completions`, completion),
    passedOn: () => firstPiece(sides.floor.url, { model: 'm10', ...request }),
  };
  const samples = { direct: [], through: [], fetched: [], passedOn: [] };
  for (let i = 0; i < 250; i++) {
    for (const [name, provider] of Object.entries(providers)) {
      const began = performance.now();
      let first;
      for await (const event of provider.stream(
        { ...request, idempotencyKey: `k${i}` },
        new AbortController().signal,
      ))
        if (event.type === 'text') first ??= performance.now() - began;
      if (i >= 50) samples[name].push(first);
    }
    for (const [name, ask] of Object.entries(fetches)) {
      const first = await ask();
      if (i >= 50) samples[name].push(first);
    }
  }
  return samples;
}

async function firstPiece(url, body) {
  const began = performance.now();
  const { body: pieces } = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  let first;
  for await (const piece of pieces) first ??= piece && performance.now() - began;
  return first;
}

async function cpuOfStreams({ child, url }) {
  const before = await figuresOf(child);
  await Promise.all(
    Array.from({ length: STREAMS }, async () => {
      const response = await post(url, `m${DELTAS}`);
      let bytes = 0;
      for await (const piece of response) bytes += piece.length;
      if (bytes < DELTAS * 20) throw new Error(`an answer of ${bytes} bytes`);
    }),
  );
  const { cpuMs } = await figuresOf(child);
  return ((cpuMs - before.cpuMs) * 1_000) / (STREAMS * DELTAS);
}

async function memoryOfSlowReaders({ child, url }) {
  // Loads the code of requests.
  for await (const piece of await post(url, 'm10')) void piece;
  const before = await figuresOf(child);
  const responses = await Promise.all(Array.from({ length: SLOW }, () => post(url, 'm300000')));
  for (const response of responses) response.pause();
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const { rssMb } = await figuresOf(child);
  for (const response of responses) response.on('error', () => {}).destroy();
  return rssMb - before.rssMb;
}

async function post(url, model) {
  const outgoing = httpRequest(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    agent: false,
  });
  // Of a connection that is destroyed.
  outgoing.on('error', () => {});
  outgoing.end(JSON.stringify({ version: 1, model, ...request }));
  const [response] = await once(outgoing, 'response');
  return response;
}

async function startSide(side, upstream) {
  const child = start('server.mjs', side, upstream);
  const [{ port }] = await once(child, 'message');
  return { child, url: `http://127.0.0.1:${port}/` };
}

async function figuresOf(child) {
  child.send('figures');
  const [figures] = await once(child, 'message');
  return figures;
}

function start(file, ...args) {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args);
}

function quantile(values, share) {
  return values.sort((a, b) => a - b)[Math.floor(values.length * share)];
}
