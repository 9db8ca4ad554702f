import { AgentSessionError, isAgentSessionError, type JsonObject } from '@handrail/session/provider';
import { isBrowser } from './browser.js';
import { causeWithoutKeys, type ErrorContext } from './error-context.js';
import { fieldsOf, textIn } from './json-fields.js';
import { refusalError } from './refusal-error.js';
import { toRefusal } from './refusal.js';

/** Characters of a malformed event that are kept. */
const LONGEST_LINE = 1_000;

/** The adapter's one place where a foreign error becomes one of ours. */
export function toError(thrown: unknown, context: ErrorContext): AgentSessionError {
  const { signal, answering } = context;
  if (signal.aborted) {
    return new AgentSessionError('cancelled', 'The request was cancelled.', { cause: signal.reason });
  }
  const own = [thrown, fieldsOf(thrown)['cause']].find(isAgentSessionError);
  if (own) return own;
  const refusal = toRefusal(thrown, context.redact);
  if (refusal) return refusalError(refusal, thrown, context);
  if (thrown instanceof SyntaxError) return malformedError(thrown, context);
  // The client throws errors of its connection under these names; before it has one, all others are about credentials.
  if (!answering && !textIn(fieldsOf(thrown)['name']).startsWith('APIConnection'))
    return noKeyError(thrown, context);
  return transportError(thrown, context);
}

function noKeyError(thrown: unknown, context: ErrorContext): AgentSessionError {
  return new AgentSessionError('auth', 'There is no usable API key. Pass apiKey, or set ANTHROPIC_API_KEY.', {
    cause: causeWithoutKeys(thrown, context),
  });
}

function malformedError(thrown: unknown, context: ErrorContext): AgentSessionError {
  const line = context.redact(context.malformedLine).slice(0, LONGEST_LINE);
  return new AgentSessionError('server', 'The server sent an event that is no JSON.', {
    details: withStopReason({ line }, context),
    cause: causeWithoutKeys(thrown, context),
  });
}

function transportError(thrown: unknown, context: ErrorContext): AgentSessionError {
  const cause = causeWithoutKeys(thrown, context);
  const details = withStopReason({}, context);
  if (context.answering) {
    const message = 'The connection broke before the answer was complete.';
    return new AgentSessionError('interrupted', message, { details, cause });
  }
  // A page is not told whether a server is down or only does not talk to it.
  const hint = isBrowser() ? ' It may be down, or not allow requests from this page (CORS).' : '';
  return new AgentSessionError('network', `The server could not be reached.${hint}`, { details, cause });
}

function withStopReason(details: JsonObject, { stopReason }: ErrorContext): JsonObject {
  return stopReason === '' ? details : { ...details, stopReason };
}
