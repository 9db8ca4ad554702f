import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { startByteServer, type Script } from './kit/byte-server.js';

// The command of the gateway as a process of its own: every byte of its sockets, its output and its errors.

/** In no shape that is known for keys. */
const keys = { openai: 'Canary.4f9A1c7E2b8D', anthropic: 'Canary.5e0B2d8F3c9A' };
type Vendor = keyof typeof keys;

/** An answer of each API: its beginning with a piece of text, and its end. */
const answers: Record<Vendor, { readonly begin: string; readonly end: string }> = {
  openai: {
    begin: `data: {"choices":[{"index":0,"delta":{"content":"Half"},"finish_reason":null}]}\n\n`,
    end: `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`,
  },
  anthropic: {
    begin:
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":1,"output_tokens":1}}}\n\n' +
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n' +
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Half"}}\n\n',
    end:
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n' +
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}\n\n' +
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  },
};

/** Answers of a server that knows the key and repeats it wherever it can. The last one is whole. */
function scriptsOf(vendor: Vendor): readonly Script[] {
  const key = keys[vendor];
  const { begin, end } = answers[vendor];
  const headers = { 'content-type': 'application/json', 'x-request-id': key, 'set-cookie': `k=${key}` };
  const error = { message: `bad ${key}`, type: key, code: key, param: key };
  const refusal = JSON.stringify({ type: 'error', error });
  return [
    ...[400, 401, 403, 404, 413, 429, 500, 503, 529].map((status) => ({ status, headers, body: refusal })),
    { status: 401, headers: { 'content-type': 'text/html' }, body: `<h1>${key}</h1>` },
    { status: 307, headers: { location: `http://127.0.0.1:9/?key=${key}` }, body: '' },
    { headers: { 'content-type': 'text/html' }, body: `<title>${key}</title>` },
    { body: `data: {${key}\n\n` },
    { body: `event: error\ndata: ${refusal}\n\n` },
    { body: `${begin}event: error\ndata: ${refusal}\n\n` },
    { body: begin },
    { body: begin, end: 'reset' },
    { body: '', end: 'reset' },
    { body: `${begin}${end}`, headers: { ...headers, 'content-type': 'text/event-stream' } },
  ];
}

/** Sends a request, and resolves to every byte that comes back. */
async function bytesOf(port: number, head: string, body = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  return (await buffer(socket)).toString();
}

test('P6 the command, while everything fails in turn, shows no byte of a key on its sockets, in its output and in its errors', async () => {
  await using openai = await startByteServer(...scriptsOf('openai'));
  await using anthropic = await startByteServer(...scriptsOf('anthropic'));
  const servers = { openai, anthropic };
  const command = spawn(
    process.execPath,
    [fileURLToPath(new URL('kit/gateway-process.mjs', import.meta.url)), '--open', '--port', '0'],
    {
      env: {
        ...process.env,
        OPENAI_API_KEY: keys.openai,
        OPENAI_BASE_URL: openai.v1,
        ANTHROPIC_API_KEY: keys.anthropic,
        ANTHROPIC_BASE_URL: anthropic.url,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let seen = '';
  for (const output of [command.stdout, command.stderr])
    output.on('data', (bytes) => (seen += String(bytes)));
  try {
    await vi.waitFor(() => expect(seen).toContain('relay('), 60_000);
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(seen)![1]);
    const host = `host: 127.0.0.1:${port}`;
    const post = (body: string) =>
      bytesOf(port, `POST / HTTP/1.1\r\n${host}\r\ncontent-type: application/json`, body);
    for (const vendor of ['openai', 'anthropic'] as const) {
      const model = vendor === 'openai' ? 'default' : vendor;
      const body = JSON.stringify({
        version: 1,
        model,
        system: '',
        messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
        tools: [],
        idempotencyKey: 'k',
      });
      const scripts = scriptsOf(vendor);
      for (const script of scripts) {
        const answer = await post(body);
        expect(answer).toContain(script === scripts.at(-1) ? '"type":"finish"' : '"type":"error"');
        seen += answer;
      }
      for (const { headers } of servers[vendor].arrivals)
        expect(headers.authorization).toBe(`Bearer ${keys[vendor]}`);
      expect(servers[vendor].arrivals).toHaveLength(scripts.length);
      seen += await bytesOf(port, `GET /?model=${model} HTTP/1.1\r\n${host}`);
    }
    seen += await post('{');
    seen += await bytesOf(port, `GET /health HTTP/1.1\r\n${host}`);
    seen += await bytesOf(port, `GET / HTTP/1.1\r\nhost: evil.example`);
    seen += await bytesOf(port, `POST / HTTP/1.1\r\n${host}\r\nauthorization: Bearer ${'x'.repeat(20_000)}`);
    const ended = once(command, 'close');
    command.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  } finally {
    command.kill('SIGKILL');
  }
  expect(seen).toContain('HTTP/1.1 431');
  expect(seen.length).toBeGreaterThan(5_000);
  // Nor in small letters, in which the adapters compare the codes of errors.
  expect(seen).not.toMatch(/canary/i);
});
