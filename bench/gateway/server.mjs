// A server in its own process, so that CPU time and memory belong to one side: the gateway, or the floor, which writes each chunk of the
// official client's stream as a line of JSON. Sends its port; answers each message with its CPU time and its memory after a collection.
import { createServer } from 'node:http';

const [side, upstream] = process.argv.slice(2);
const baseURL = `${upstream}/v1`;

const handle = side === 'gateway' ? await gatewayHandler() : await floorHandler();
const server = createServer(handle);
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit(0));
process.on('message', async () => {
  const { user, system } = process.cpuUsage();
  // The first collection finds unused memory, mostly buffers. It is freed in another thread.
  globalThis.gc();
  await new Promise((resolve) => setTimeout(resolve, 100));
  globalThis.gc();
  // Buffers are in `external`.
  const { heapUsed, external } = process.memoryUsage();
  process.send({ cpuMs: (user + system) / 1_000, memoryMb: (heapUsed + external) / 1e6 });
});

async function gatewayHandler() {
  const { gateway } = await import('../../.cache/bench/node_modules/@banister/gateway/dist/index.js');
  const { toNodeHandler } = await import('../../.cache/bench/node_modules/@banister/gateway/dist/node.js');
  const { openai } = await import('../../.cache/bench/node_modules/@banister/openai/dist/index.js');
  return toNodeHandler(
    gateway({
      // The count of the path says how many deltas the upstream sends.
      provider: Object.fromEntries(
        [10, 1_000, 300_000].map((count) => [
          `m${count}`,
          openai({ model: 'bench', baseURL: `${baseURL}/${count}/v1`, apiKey: 'none' }),
        ]),
      ),
      authorize: () => ({ user: 'u1' }),
      policy: { free: true, roundsPerMinute: 1e9, concurrent: 1e9 },
      seal: 'per-process',
    }),
  );
}

async function floorHandler() {
  const { default: OpenAI } = await import('openai');
  return async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const { model, messages } = JSON.parse(body);
    const client = new OpenAI({ apiKey: 'none', baseURL: `${baseURL}/${model.slice(1)}/v1`, maxRetries: 0 });
    const content = messages[0].parts[0].text;
    const stream = await client.chat.completions.create({
      model: 'bench',
      messages: [{ role: 'user', content }],
      stream: true,
    });
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    for await (const chunk of stream) response.write(`${JSON.stringify(chunk)}\n`);
    response.end();
  };
}
