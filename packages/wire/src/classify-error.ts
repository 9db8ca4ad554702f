import { AgentSessionError, isAgentSessionError, type JsonObject } from '@banister/provider';
import { isBrowser } from './browser.js';
import { fieldsOf } from './json-fields.js';
import { withoutSecrets } from './model-identity.js';
import { MalformedEvent } from './server-events.js';
import { errorWithoutKeys, withoutKeys } from './without-keys.js';

/** The request and the answer in which an error was thrown. */
export interface ErrorContext {
  readonly signal: AbortSignal;
  readonly model: string;
  /** True once the server had begun to answer. */
  readonly answering: boolean;
  /**
   * Whether a part of the answer arrived. An error before the first part refuses the request. Default: the
   * value of `answering`.
   */
  readonly hasParts?: boolean;
  /** The finish reason that the server stated, for the error's details; empty before it arrived. */
  readonly ending: JsonObject;
  /** Headers of an answer that failed midway; a refusal has headers of its own. */
  readonly headers?: Headers | undefined;
  /** The address of the API. */
  readonly address?: string;
  /** Returns the text without keys. */
  redact(text: string): string;
}

/** Characters of a malformed event that are kept. */
const LONGEST_LINE = 1_000;

/**
 * Turns any thrown value into an `AgentSessionError`: `cancelled` if the signal fired, the adapter's reading
 * of a refusal, `server` for an event that is not JSON, else `interrupted` or `network` for a broken
 * connection.
 *
 * @param readRefusal returns the adapter's reading of an error that holds the server's refusal; null for any
 * other error
 */
export function classifyError(
  thrown: unknown,
  context: ErrorContext,
  readRefusal: (thrown: unknown) => AgentSessionError | null,
): AgentSessionError {
  return withAddress(classified(thrown, context, readRefusal), context);
}

/** Adds the address to a network error, because a wrong address is the usual cause. */
function withAddress(
  error: AgentSessionError,
  { address: given = '', redact }: ErrorContext,
): AgentSessionError {
  if (error.code !== 'network' || given === '') return error;
  const address = redact(withoutSecrets(given));
  const { retry, cause, details } = error;
  const message = error.message.replace(/^The server\b/, `The server at ${address}`);
  return new AgentSessionError('network', message, { retry, cause, details: { ...details, address } });
}

function classified(
  thrown: unknown,
  context: ErrorContext,
  readRefusal: (thrown: unknown) => AgentSessionError | null,
): AgentSessionError {
  const { signal, redact } = context;
  if (signal.aborted) {
    return new AgentSessionError('cancelled', 'The request was cancelled.', { cause: signal.reason });
  }
  const own = [thrown, fieldsOf(thrown)['cause']].find(isAgentSessionError);
  if (own) return errorWithoutKeys(own, redact);
  const refusal = readRefusal(thrown);
  if (refusal) return errorWithoutKeys(refusal, redact);
  return thrown instanceof SyntaxError ? malformedError(thrown, context) : transportError(thrown, context);
}

function malformedError(thrown: SyntaxError, { redact, ending }: ErrorContext) {
  // The SyntaxError of a client that parses the events itself does not hold the event.
  const [data, cause] = thrown instanceof MalformedEvent ? [thrown.data, thrown.cause] : ['', thrown];
  return new AgentSessionError('server', 'The server sent an event that is not JSON.', {
    details: { line: redact(data).slice(0, LONGEST_LINE), ...ending },
    cause: withoutKeys(cause, redact),
  });
}

function transportError(thrown: unknown, { redact, answering, ending }: ErrorContext) {
  const cause = withoutKeys(thrown, redact);
  if (answering) {
    const message = 'The connection broke before the answer was complete.';
    return new AgentSessionError('interrupted', message, { details: ending, cause });
  }
  // Browsers give the same error if the server is down and if it does not allow the page's origin.
  const hint = isBrowser() ? ' It may be down, or not allow requests from this page (CORS).' : '';
  return new AgentSessionError('network', `The server could not be reached.${hint}`, {
    details: ending,
    cause,
  });
}
