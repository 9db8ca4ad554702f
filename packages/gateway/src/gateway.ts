import { systemClock } from '@banister/provider';
import { answerRequest } from './answer.js';
import { checkGatewayOptions, providersOf, type GatewayOptions } from './gateway-options.js';
import type { GatewayHandler, GatewayParts } from './gateway-parts.js';
import { noteState } from './gateway-state.js';
import { memoryQuotas } from './memory-quotas.js';
import { allowedOrigins } from './origin-check.js';
import { respond } from './respond.js';
import { createSealer } from './seal.js';

/**
 * Keeps API keys on a server: returns a function from `Request` to `Response`, which every framework can mount. The page uses it through
 * `@banister/relay`.
 *
 * `POST` sends a request to a model, `GET` returns the capabilities of an alias, and the path `…/health` shows that the gateway is running.
 *
 * @throws AgentSessionError `invalid-configuration` for options that cannot work, for example without `authorize`
 *
 * @example
 * export const POST = gateway({
 *   provider: openai({ model: 'gpt-5-mini', apiKey: process.env.OPENAI_API_KEY }),
 *   authorize: async (request) => {
 *     const user = await userOf(request);
 *     return user && { user: user.id, policy: { role: 'You help with a board of cards.', tools: ['board.*'] } };
 *   },
 * });
 */
export function gateway(options: GatewayOptions): GatewayHandler {
  checkGatewayOptions(options);
  const { cors = [], clock = systemClock, quotas = memoryQuotas({ clock }) } = options;
  const isOpen = options.open !== undefined;
  const parts: GatewayParts = {
    options,
    providers: providersOf(options),
    allows: allowedOrigins(cors, isOpen),
    quotas,
    sealer: createSealer(secretsOf(options)),
    clock,
    isOpen,
    preparing: new Map(),
    ends: new Set(),
  };
  const handle: GatewayHandler = (request) => respond(parts, request, answerRequest);
  noteState(handle, parts);
  return handle;
}

function secretsOf({ seal, warn = (message) => console.warn(message) }: GatewayOptions): readonly string[] {
  if (seal !== undefined && seal !== 'per-process') return typeof seal === 'string' ? [seal] : seal;
  if (seal === undefined)
    warn(
      'Banister gateway: without the option "seal", a restart or another process loses earlier reasoning.',
    );
  return [crypto.randomUUID() + crypto.randomUUID()];
}
