import { AgentSessionError, type JsonObject } from '@banister/session';
import type { Transport, TransportItem } from '@banister/remote';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A transport over sockets of this machine: the log as server-sent events, a command as a `POST`. */
export interface HttpLine extends AsyncDisposable {
  readonly transport: Transport;
  /** Breaks every open connection, as a network does that is gone. */
  breakConnections(): void;
}

/** Serves a host's transport by Node's own server. */
export async function overHttp(host: Transport): Promise<HttpLine> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => void serve(host, request, response).catch(() => {}));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    transport: clientOf(url),
    breakConnections() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function serve(host: Transport, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  if (request.method === 'POST') {
    let body = '';
    for await (const bytes of request.setEncoding('utf8')) body += String(bytes);
    const receipt = await host.command(JSON.parse(body) as JsonObject, gone.signal);
    response.end(JSON.stringify(receipt));
    return;
  }
  const after = Number(new URL(request.url!, 'http://host').searchParams.get('after'));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for await (const item of host.read(after, gone.signal)) response.write(`data: ${JSON.stringify(item)}\n\n`);
  response.end();
}

function clientOf(url: string): Transport {
  const ask = async (init: RequestInit, after = 0): Promise<Response> => {
    const response = await fetch(`${url}?after=${after}`, init);
    if (!response.ok) throw new AgentSessionError('network', `The server answered ${response.status}.`);
    return response;
  };
  return {
    async *read(after, signal) {
      const { body } = await ask({ signal }, after);
      let text = '';
      for await (const bytes of body!.pipeThrough(new TextDecoderStream())) {
        const events = (text + bytes).split('\n\n');
        text = events.pop()!;
        for (const event of events) yield JSON.parse(event.slice('data: '.length)) as TransportItem;
      }
    },
    async command(command, signal) {
      const response = await ask({ method: 'POST', body: JSON.stringify(command), signal });
      return (await response.json()) as JsonObject;
    },
  };
}
