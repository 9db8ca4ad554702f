// A loopback server in its own process, so that its CPU time is not counted. If a URL ends like the URL of one of the three APIs, it
// answers with N deltas, for the last `/N/` in the URL, as fast as they are read, 16 kB at a time.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { sseBodies } from './sse-bodies.mjs';
import { textDeltas } from './text-deltas.mjs';

const CHUNK = 16 * 1024;
/** @type {Map<string, Buffer>} */
const bodies = new Map();

const server = createServer(async (request, response) => {
  request.resume();
  await once(request, 'end');
  const body = bodyOf(request.url);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (let at = 0; at < body.length; at += CHUNK) {
    if (!response.write(body.subarray(at, at + CHUNK))) await once(response, 'drain');
  }
  response.end();
});
// Otherwise a request may use an idle connection that is just being closed, mostly on a busy machine.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit(0));

function bodyOf(url) {
  let body = bodies.get(url);
  if (body === undefined) {
    const [, count] = /\/(\d+)\//.exec(url);
    const [, make] = Object.entries(sseBodies).find(([end]) => url.endsWith(end));
    bodies.set(url, (body = Buffer.from(make(textDeltas(Number(count))))));
  }
  return body;
}
