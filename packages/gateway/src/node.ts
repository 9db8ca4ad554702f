import { toNodeHandler as convert } from 'srvx/node';
import { isOpenGateway } from './gateway-state.js';

// The entry `@banister/gateway/node`: for servers whose handlers get a Node request and a Node response.

/** A handler of Node's `createServer`, of Express and of Connect. */
export type NodeHandler = (request: object, response: object) => Promise<void>;

/** The fields of a Node request that are used. `body` exists if a parser of Express has read the request. */
interface IncomingRequest {
  readonly body?: unknown;
  readonly readableDidRead?: boolean;
  readonly socket?: { readonly remoteAddress?: string };
}

/** The fields of a Node response that are used. */
interface OutgoingResponse {
  /** null while the response waits for an earlier response on its connection. */
  readonly socket?: unknown;
  once(event: 'socket', listener: () => void): unknown;
}

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/;

/**
 * Returns a gateway as a Node handler. When the client disconnects, it closes the request to the model. It waits for slow clients. It
 * accepts a body that `express.json()` has already read; that parser refuses bodies above its own `limit`, 100 kB by default.
 *
 * A gateway with `open: 'localhost'` refuses connections from other machines with the status 403. Pass the gateway itself: a function
 * around it hides that it is open.
 *
 * @example
 * app.use('/agent', toNodeHandler(gateway({ provider, authorize })));
 */
export function toNodeHandler(handle: (request: Request) => Promise<Response>): NodeHandler {
  const isOpen = isOpenGateway(handle);
  const converted = convert((request: Request) => {
    const { runtime } = request as {
      readonly runtime?: { readonly node?: { readonly req?: IncomingRequest } };
    };
    const req = runtime?.node?.req;
    if (isOpen && !LOOPBACK_ADDRESS.test(req?.socket?.remoteAddress ?? '')) return otherMachine();
    return handle(withReadBody(request, req));
  });
  return async (request, response) => {
    const outgoing = response as OutgoingResponse;
    // Before the response has a socket, Node does not report a client that disconnects: the model would continue.
    if (outgoing.socket === null) await new Promise<void>((resolve) => outgoing.once('socket', resolve));
    await (converted as unknown as NodeHandler)(request, response);
  };
}

/** Returns a request with the body that was already read. */
function withReadBody(request: Request, incoming: IncomingRequest | undefined): Request {
  const { body, readableDidRead } = incoming ?? {};
  if (body === undefined || readableDidRead !== true) return request;
  const { method, url, signal } = request;
  if (method === 'GET' || method === 'HEAD') return request;
  // Without the headers that describe the original bytes.
  const headers = new Headers(
    [...request.headers].filter(([name]) => !/^content-(?:length|encoding)$/.test(name)),
  );
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  return new Request(url, {
    method,
    headers,
    signal,
    body: isRaw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body),
  });
}

function otherMachine(): Response {
  const error = {
    code: 'auth',
    message: 'This gateway serves its own machine alone.',
    retry: 'after-action',
    details: {},
  };
  return Response.json({ error }, { status: 403 });
}
