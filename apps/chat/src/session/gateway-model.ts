import { AgentSessionError, isAgentSessionError, type Provider } from '@banister/provider';
import { relay } from '@banister/relay';
import type { GatewayKind, GatewayOffer } from './gateway-offer.js';

/** Returns a model of the gateway. Its errors say what the person who started the demo can do. */
export function gatewayModel({ url }: GatewayOffer, kind: GatewayKind): Provider {
  const behind = relay(url, { model: kind.slice('gateway:'.length) });
  return {
    id: behind.id,
    model: behind.model,
    server: behind.server,
    get capabilities() {
      return behind.capabilities;
    },
    async *stream(request, signal) {
      try {
        yield* behind.stream(request, signal);
      } catch (error) {
        throw clearer(error);
      }
    },
  };
}

/** Returns an error with the same code and other words. */
export function clearer(error: unknown): unknown {
  if (!isAgentSessionError(error)) return error;
  const { code, retry, details } = error;
  const words = wordsFor(error);
  return words === null ? error : new AgentSessionError(code, words, { retry, details, cause: error });
}

/** Returns null for an error that is clear already, or that the session itself made. */
function wordsFor({ code, retry, cause }: AgentSessionError): string | null {
  switch (code) {
    case 'auth':
      return 'The model’s server did not accept the key. Give the right one to npm start, and try again.';
    case 'quota':
      return 'The account of the key has no credit. Top it up, and try again.';
    case 'model':
      return 'The model’s server does not offer this model to the key. Choose another one at the top.';
    case 'rate-limit':
      return `Too many requests at the moment. Try again ${timeIn(retry)}.`;
    case 'overloaded':
      return `The model has too much to do at the moment. Try again ${timeIn(retry)}.`;
    case 'network':
      // An error that the gateway reports has no cause here.
      return cause === undefined
        ? 'The gateway could not reach the model’s server. Check the connection of this machine, and try again.'
        : 'The gateway could not be reached. Check that npm start still runs, and try again.';
    default:
      return null;
  }
}

function timeIn(retry: AgentSessionError['retry']): string {
  if (typeof retry !== 'object') return 'in a moment';
  const seconds = Math.max(1, Math.ceil(retry.afterMs / 1000));
  return seconds < 90 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} min`;
}
