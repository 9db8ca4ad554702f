import { chunksOf } from './chunking.js';
import type { Script } from './serve-once.js';

/**
 * Like `serveOnce` but without a socket, for thousands of answers or tiny chunks, which would take minutes: a `fetch` that answers the
 * first request with the script, and every further request with `afterwards`.
 *
 * @param arrived called with the body of each request
 */
export function serveInMemory(
  script: Script,
  afterwards: Script,
  arrived: (body: unknown) => void = () => {},
): typeof globalThis.fetch {
  let requests = 0;
  return (_input, init) => {
    arrived(JSON.parse(String(init?.body)));
    return Promise.resolve(respond(requests++ === 0 ? script : afterwards));
  };
}

function respond({ body, status, contentType, chunking, cut, reset }: Script): Response {
  const chunks = chunksOf(body.subarray(0, cut), chunking);
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const { value, done } = chunks.next();
      // A copy, because the reader of a chunk may transfer it, and the body is played again.
      if (!done) controller.enqueue(new Uint8Array(value));
      else if (reset) controller.error(new TypeError('terminated'));
      else controller.close();
    },
  });
  return new Response(stream, { status, headers: { 'content-type': contentType } });
}
