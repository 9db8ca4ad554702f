import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gateway, type GatewayOptions } from '@banister/gateway';
import { toNodeHandler } from '@banister/gateway/node';

/** A gateway on a socket of this machine. */
export interface ServedGateway extends AsyncDisposable {
  readonly url: string;
  readonly server: Server;
  /** Sockets of clients that are open. */
  openSockets(): number;
  /** Breaks every connection, as a network does that is gone. */
  breakConnections(): void;
}

/** Options with a user who may do anything, for tests that are about something else. */
export const anyUser = {
  authorize: () => ({ user: 'u1' }),
  policy: { free: true, roundsPerMinute: 1e9, concurrent: 1e9 },
  seal: 'per-process',
} as const satisfies Omit<GatewayOptions, 'provider'>;

/** Serves a gateway by Node's own server. */
export async function serveGateway(options: GatewayOptions): Promise<ServedGateway> {
  return serve(toNodeHandler(gateway(options)));
}

/** Serves a handler of Node. */
export async function serve(handle: (request: object, response: object) => unknown): Promise<ServedGateway> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => void handle(request, response));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`,
    server,
    openSockets: () => sockets.size,
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
