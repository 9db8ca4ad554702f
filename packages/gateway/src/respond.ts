import { VERSION } from './answer-request.js';
import { callHook } from './call-hook.js';
import type { Authorized, LogEntry } from './gateway-options.js';
import { modelFor } from './model-for.js';
import type { Exchange, GatewayParts, KnownUser } from './gateway-parts.js';
import { checkOrigin, checkRead, corsHeaders, mediaTypeOf, preflightHeaders } from './origin-check.js';
import { wholePolicy } from './policy.js';
import { malformed, Refusal } from './refusal.js';
import { reportError } from './report-error.js';

/** Answers a known user's request to a model. */
export type Answering = (
  parts: GatewayParts,
  request: Request,
  known: KnownUser,
  exchange: Exchange,
) => Promise<Response>;

/** The maximal length of a user id. */
const MOST_OF_ID = 512;

/** The headers of every response. */
const common = { 'cache-control': 'no-store, no-transform', 'x-content-type-options': 'nosniff' };

/** Answers or refuses a request. Never rejects. */
export async function respond(parts: GatewayParts, request: Request, answer: Answering): Promise<Response> {
  const { options, allows, clock } = parts;
  const exchange: Exchange = {};
  const { response, code } = await route(parts, request, answer, exchange).then(
    (answered) => ({ response: answered, code: undefined }),
    (thrown: unknown) => refuse(parts, thrown, exchange),
  );
  for (const [name, value] of Object.entries({ ...common, ...corsHeaders(request, allows) }))
    response.headers.set(name, value);
  const { method } = request;
  const { user, model, agent, content } = exchange;
  const entry = { at: clock.now(), method, status: response.status, user, model, agent, code, content };
  void callHook(
    () => options.log?.(entry),
    (error) => reportError(parts, { error }),
  );
  return response;
}

async function route(
  parts: GatewayParts,
  request: Request,
  answer: Answering,
  exchange: Exchange,
): Promise<Response> {
  checkOrigin(request, parts.allows, parts.isOpen);
  checkUpgrade(request);
  const { method, url } = request;
  // Node builds the URL from the header `Host`, which may be anything.
  if (!URL.canParse(url)) throw malformed('The request has no valid URL.');
  const { pathname, searchParams } = new URL(url);
  if (method === 'OPTIONS')
    return new Response(null, { status: 204, headers: preflightHeaders(request, parts.allows) });
  if (pathname.endsWith('/health')) {
    if (method !== 'GET' && method !== 'HEAD') throw notAllowed('GET, HEAD');
    return Response.json({ status: 'ok' });
  }
  if (method !== 'GET' && method !== 'POST') throw notAllowed('GET, POST, OPTIONS');
  // Before any route, so that each route is checked.
  if (method === 'POST') checkContentType(request);
  else checkRead(request);
  const known = await authorized(parts, request);
  exchange.user = known.user;
  return method === 'POST'
    ? answer(parts, request, known, exchange)
    : describe(parts, known, searchParams.get('model') ?? undefined);
}

/** Node passes a WebSocket request on as an ordinary `GET`. The connection is closed, because its client sends nothing else on it. */
function checkUpgrade({ headers }: Request): void {
  if (/websocket/i.test(headers.get('upgrade') ?? ''))
    throw new Refusal(
      400,
      'invalid-input',
      'The gateway does not support WebSockets.',
      {},
      { connection: 'close' },
    );
}

/** A form of another site cannot send this type: the browser sends a preflight first, which is refused. */
function checkContentType({ headers }: Request): void {
  if (mediaTypeOf(headers.get('content-type') ?? '') !== 'application/json')
    throw new Refusal(415, 'invalid-input', 'The content type is application/json.');
}

async function authorized({ options, isOpen }: GatewayParts, request: Request): Promise<KnownUser> {
  if (isOpen) return { user: 'localhost', policy: wholePolicy(options.policy ?? { free: true }) };
  const found: Authorized | null = (await options.authorize?.(request)) ?? null;
  // The id becomes a key of the quotas, the seals and the log.
  if (found === null || String(found.user).length > MOST_OF_ID)
    throw new Refusal(401, 'auth', 'Sign in to use the model.');
  const { user, policy = options.policy } = found;
  if (typeof user !== 'string' || user === '' || policy === undefined)
    throw new Error('authorize returned no user, or no policy, and the gateway has none.');
  return { user, policy: wholePolicy(policy) };
}

function describe(parts: GatewayParts, { policy }: KnownUser, asked: string | undefined): Response {
  const { alias, provider } = modelFor(parts, [policy], asked);
  // JSON has no Infinity; a missing field means the same.
  const capabilities = Object.fromEntries(
    Object.entries(provider.capabilities).filter(([, value]) => value !== Infinity),
  );
  return Response.json({ version: VERSION, model: alias, capabilities });
}

function notAllowed(allow: string): Refusal {
  return new Refusal(405, 'invalid-input', 'The gateway has no such method.', {}, { allow });
}

function refuse(
  parts: GatewayParts,
  thrown: unknown,
  { user, model }: Exchange,
): { readonly response: Response; readonly code: LogEntry['code'] } {
  const refusal =
    thrown instanceof Refusal
      ? thrown
      : new Refusal(500, 'server', 'The gateway failed because of an internal error.', { retry: 'never' });
  if (refusal !== thrown) reportError(parts, { error: thrown, user, model });
  const { status, error, headers } = refusal;
  return { response: Response.json({ error: error.toJSON() }, { status, headers }), code: error.code };
}
