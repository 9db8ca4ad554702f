import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { measured } from './measured.mjs';

const paths = { chat: '/v1', responses: '/v1', messages: '' };
let server;

/** HTTP: one answer of `size` deltas over a loopback socket, read by the side's own client. */
export async function streamOverHttp(create, { size, api }) {
  server ??= startServer();
  const side = create({ api, baseURL: `http://127.0.0.1:${await server}/${size}${paths[api]}` });
  const dispose = side.watch(() => {});
  const { cpuUs } = await measured(() => side.send());
  dispose();
  assert.equal(side.text(), textDeltas(size).join(''));
  return { cpuPerDelta: cpuUs / size };
}

async function startServer() {
  const child = fork(new URL('../inputs/sse-server.mjs', import.meta.url), { stdio: 'inherit' });
  const [port] = await once(child, 'message');
  return port;
}
