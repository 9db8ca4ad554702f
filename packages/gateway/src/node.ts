import { toNodeHandler as convert } from 'srvx/node';
import { isOpenGateway } from './gateway-state.js';

// The entry `@banister/gateway/node`: for servers whose handlers get a request and a response of Node.

/** A handler of Node's `createServer`, of Express and of Connect. */
export type NodeHandler = (request: object, response: object) => Promise<void>;

/** The fields of a request of Node that matter here; `body` is there when a parser of Express has read the request. */
interface IncomingRequest {
  readonly body?: unknown;
  readonly readableDidRead?: boolean;
  readonly socket?: { readonly remoteAddress?: string };
}

/** The fields of a response of Node that matter here. */
interface OutgoingResponse {
  /** null while the response waits behind another one on its connection. */
  readonly socket?: unknown;
  once(event: 'socket', listener: () => void): unknown;
}

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/;

/**
 * Returns a gateway as a handler of Node. It closes the request to the model when the client leaves, waits for slow clients, and takes a body
 * that `express.json()` has read already; that parser refuses bodies above its own `limit`, 100 kB by default.
 *
 * A gateway with `open: 'localhost'` refuses connections from other machines with the status 403. That needs the gateway itself: a function around
 * it does not show that it is open.
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
    // Until its turn comes, Node tells the response nothing of a client that leaves: its model would work on.
    if (outgoing.socket === null) await new Promise<void>((resolve) => outgoing.once('socket', resolve));
    await (converted as unknown as NodeHandler)(request, response);
  };
}

/** A request whose body was read before, with that body. */
function withReadBody(request: Request, incoming: IncomingRequest | undefined): Request {
  const { body, readableDidRead } = incoming ?? {};
  if (body === undefined || readableDidRead !== true) return request;
  const { method, url, signal } = request;
  if (method === 'GET' || method === 'HEAD') return request;
  // The length and the packing of the original bytes.
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
