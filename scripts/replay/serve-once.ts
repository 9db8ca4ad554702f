import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chunksOf, type Chunking } from './chunking.js';

/** The answer of the server. */
export interface Script {
  readonly body: Buffer;
  readonly status: number;
  readonly contentType: string;
  readonly chunking: Chunking;
  /** The number of bytes of the body that are sent. */
  readonly cut: number;
  /** Whether the connection is reset instead of closed. */
  readonly reset: boolean;
}

/** A server on this machine that plays a script. */
export interface ByteServer extends AsyncDisposable {
  readonly url: string;
}

/** How long to wait before a reset, in milliseconds, so that the reset does not overtake the last bytes. */
const BEFORE_RESET = 50;

/**
 * Answers the first request with the script, and every further request with `afterwards`: a recording is a single answer, and a client
 * that asks for more gets nothing more.
 */
export async function serveOnce(script: Script, afterwards: Script): Promise<ByteServer> {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => void play(requests++ === 0 ? script : afterwards, response).catch(() => {}));
  });
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

async function play(script: Script, response: ServerResponse): Promise<void> {
  response.writeHead(script.status, { 'content-type': script.contentType });
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  for (const chunk of chunksOf(script.body.subarray(0, script.cut), script.chunking)) {
    if (response.destroyed) return;
    response.write(chunk);
    // In separate turns of the event loop, so that writes are not merged.
    await new Promise(setImmediate);
  }
  if (!script.reset) {
    response.end();
    return;
  }
  await sleep(BEFORE_RESET);
  response.socket?.resetAndDestroy();
}
