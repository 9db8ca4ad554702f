// npm run bench -- gateway: the first byte with a gateway and without, the CPU of many streams beside a floor, the memory of slow readers.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { fileURLToPath } from 'node:url';

const STREAMS = 200;
const DELTAS = 1_000;
const SLOW = 20;
/** The number of answers while the engine still compiles, in processes that have just started. */
const COLD = 50;
/** The number of answers after which an answer does not get faster. */
const WARM_UP = 500;
const SAMPLES = 500;

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
    console.log('| measure | floor | gateway | difference | bar |\n| --- | --- | --- | --- | --- |');
    const { cold, warm } = await firstBytes(address, sides);
    firstByteRows(cold, 0.5, `p50 of the first ${COLD} answers`);
    firstByteRows(warm, 0.5, 'p50', '≤ 2 ms');
    // Three processes share two cores: the fastest tenth shows the time of the code itself.
    firstByteRows(warm, 0.1, 'p10');
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
    // A new process, because the heap of the earlier process has grown.
    sides.fresh = await startSide('gateway', address);
    const { memory, alone, beside } = await besideSlowReaders(sides.fresh, sides.gateway);
    row(`MB for ${SLOW} readers that read nothing of 300,000 deltas`, 0, memory, '', `≤ ${SLOW * 2} MB`);
    row('ms to the first text without and beside them, p50', alone, beside, ms(beside - alone));
  } finally {
    for (const { child } of Object.values(sides)) child.kill();
    upstream.kill();
  }
}

function ms(value) {
  return `${value.toFixed(2)} ms`;
}

function row(name, floor, gateway, difference, bar = '') {
  console.log(`| ${name} | ${floor.toFixed(2)} | ${gateway.toFixed(2)} | ${difference} | ${bar} |`);
}

/**
 * The time to the first text: with a gateway, without a gateway, and with a server that only passes on what the official client reads,
 * using `fetch`. Both servers add one hop to their model.
 */
async function firstBytes(upstream, sides) {
  const { openai } = await import('../../.cache/bench/node_modules/@banister/openai/dist/index.js');
  const { relay } = await import('../../.cache/bench/node_modules/@banister/relay/dist/index.js');
  const direct = openai({ model: 'bench', baseURL: `${upstream}/v1/10/v1`, apiKey: 'none' });
  const through = relay(sides.gateway.url, { model: 'm10' });
  const completion = { model: 'bench', messages: [{ role: 'user', content: 'Hello' }], stream: true };
  const ways = {
    direct: (at) => firstText(direct, at),
    through: (at) => firstText(through, at),
    fetched: () => firstPiece(`${upstream}/v1/10/v1/chat/completions`, completion),
    passedOn: () => firstPiece(sides.floor.url, { model: 'm10', ...request }),
  };
  const [cold, warm] = [samplesOf(ways), samplesOf(ways)];
  for (let at = 0; at < WARM_UP + SAMPLES; at++) {
    for (const [name, ask] of Object.entries(ways)) {
      const took = await ask(at);
      if (at < COLD) cold[name].push(took);
      if (at >= WARM_UP) warm[name].push(took);
    }
  }
  return { cold, warm };
}

function samplesOf(ways) {
  return Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
}

function firstByteRows(samples, share, name, bar = '') {
  const [direct, through, fetched, passedOn] = ['direct', 'through', 'fetched', 'passedOn'].map((way) =>
    quantile(samples[way], share),
  );
  const [hop, plainHop] = [through - direct, passedOn - fetched];
  row(`ms to the first text, ${name}`, direct, through, ms(hop), bar);
  row(`ms to the first piece by fetch, ${name}: a server that passes on`, fetched, passedOn, ms(plainHop));
  console.log(`| ms that the gateway adds beside that server, ${name} | | | ${ms(hop - plainHop)} | |`);
}

async function firstText(provider, at) {
  const began = performance.now();
  const { signal } = new AbortController();
  let first;
  for await (const { type } of provider.stream({ ...request, idempotencyKey: `k${at}` }, signal))
    if (type === 'text') first ??= performance.now() - began;
  return first;
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

/** The memory of clients that do not read, and how long another client waits at the same gateway, compared with a gateway without them. */
async function besideSlowReaders({ child, url }, without) {
  const { relay } = await import('../../.cache/bench/node_modules/@banister/relay/dist/index.js');
  const providers = { alone: relay(without.url, { model: 'm10' }), beside: relay(url, { model: 'm10' }) };
  const measure = async (answers, taken) => {
    for (let at = 0; at < answers; at++)
      for (const [name, provider] of Object.entries(providers))
        taken[name].push(await firstText(provider, at));
  };
  await measure(WARM_UP, samplesOf(providers));
  const before = await figuresOf(child);
  const responses = await Promise.all(Array.from({ length: SLOW }, () => post(url, 'm300000')));
  for (const response of responses) response.pause();
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const { memoryMb } = await figuresOf(child);
  const samples = samplesOf(providers);
  await measure(SAMPLES, samples);
  for (const response of responses) response.on('error', () => {}).destroy();
  return {
    memory: memoryMb - before.memoryMb,
    alone: quantile(samples.alone, 0.5),
    beside: quantile(samples.beside, 0.5),
  };
}

async function post(url, model) {
  const outgoing = httpRequest(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    agent: false,
  });
  // The error of a destroyed connection.
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
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, { execArgv: ['--expose-gc'] });
}

function quantile(values, share) {
  return values.sort((a, b) => a - b)[Math.floor(values.length * share)];
}
