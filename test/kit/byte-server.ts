import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How the server answers a request. */
export interface Script {
  readonly body: string | Uint8Array;
  readonly status?: number;
  /** Default: an event stream. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes per write. Default: all at once. */
  readonly chunkSize?: number;
  /** Only so many bytes of the body are sent. */
  readonly cut?: number;
  /** Milliseconds between writes. */
  readonly delayMs?: number;
  /** How the response ends: in order, by a reset of the connection, or never. */
  readonly end?: 'close' | 'reset' | 'never';
}

/** A request as it arrived. */
export interface Arrival {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
  /** The body as it was sent. */
  readonly text: string;
  /** Resolves when the connection is gone: true when the client left before the response had ended. */
  readonly closed: Promise<boolean>;
}

/** Serves bytes exactly as scripted, on a socket of this machine. */
export interface ByteServer extends AsyncDisposable {
  readonly url: string;
  /** The same with the version that clients for OpenAI want at its end. */
  readonly v1: string;
  readonly arrivals: readonly Arrival[];
  /**
   * Connections on which a response is being sent. Idle connections do not count, because Node's `fetch`
   * opens one in advance after an abort.
   */
  openConnections(): number;
}

/** Starts a server that answers the n-th request by the n-th script, and all further ones by the last. */
export async function startByteServer(...scripts: readonly Script[]): Promise<ByteServer> {
  const arrivals: Arrival[] = [];
  let open = 0;
  const server = createServer(async (request, response) => {
    open++;
    response.on('close', () => open--);
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString();
    const script = scripts[Math.min(arrivals.length, scripts.length - 1)]!;
    arrivals.push({
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(text || '{}') as Record<string, unknown>,
      text,
      closed: once(response, 'close').then(() => !response.writableEnded),
    });
    await play(script, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    v1: `${url}/v1`,
    arrivals,
    openConnections: () => open,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function play(script: Script, response: ServerResponse): Promise<void> {
  const { status = 200, headers = { 'content-type': 'text/event-stream' }, end = 'close', delayMs } = script;
  const bytes = Buffer.from(script.body).subarray(0, script.cut);
  const size = script.chunkSize ?? Math.max(bytes.length, 1);
  response.writeHead(status, headers);
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size));
    // Between two turns of the event loop, so that writes do not melt into one.
    await (delayMs === undefined ? new Promise(setImmediate) : sleep(delayMs));
  }
  if (end === 'close') response.end();
  if (end === 'reset') response.socket?.resetAndDestroy();
}
