import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { LLMock, type ChatCompletionRequest } from '@copilotkit/aimock';

/** A third-party mock server, behind a proxy that records when a client disconnects. */
export interface WatchedMock extends AsyncDisposable {
  readonly mock: LLMock;
  /** The address of the server. */
  readonly url: string;
  /** The same with the version that clients for OpenAI want at its end. */
  readonly v1: string;
  /** How often a client closed its connection before the server was done with it. */
  hangUps(): number;
  /** Bodies of the requests so far. */
  bodies(): ChatCompletionRequest[];
}

/** Starts the server; `latency` is the milliseconds between two chunks. */
export async function startWatchedMock(options: { latency?: number } = {}): Promise<WatchedMock> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 4, ...options });
  await mock.start();
  let hangUps = 0;
  const sockets = new Set<Socket>();
  const wire = createServer((client) => {
    const upstream = connect(mock.port, '127.0.0.1');
    let answering = false;
    upstream.on('data', (bytes) => {
      answering = !bytes.toString('latin1').includes('\r\n0\r\n\r\n');
    });
    client.on('close', () => {
      if (answering) hangUps++;
      upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    client.pipe(upstream).pipe(client);
  });
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  const url = `http://127.0.0.1:${(wire.address() as AddressInfo).port}`;
  return {
    mock,
    url,
    v1: `${url}/v1`,
    hangUps: () => hangUps,
    bodies: () => mock.getRequests().map((entry) => entry.body as ChatCompletionRequest),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      wire.close();
      await once(wire, 'close');
      await mock.stop();
    },
  };
}
