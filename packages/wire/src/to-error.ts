import { AgentSessionError, isAgentSessionError, type JsonObject } from '@handrail/session/provider';
import { isBrowser } from './browser.js';
import { fieldsOf } from './json-fields.js';
import { MalformedEvent } from './server-events.js';
import { errorWithoutKeys, withoutKeys } from './without-keys.js';

/** What an error has to be understood with. */
export interface ErrorContext {
  readonly signal: AbortSignal;
  readonly model: string;
  /** True once the server had begun to answer. */
  readonly answering: boolean;
  /** What is known of the answer's end, for the details; nothing, while it had not come. */
  readonly ending: JsonObject;
  /** Headers of the answer that failed in its middle; an error that came instead of an answer has its own. */
  readonly headers?: Headers;
  /** Takes keys out of a text. */
  redact(text: string): string;
}

/** Characters of a malformed event that are kept. */
const LONGEST_LINE = 1_000;

/**
 * The one place where a foreign error becomes one of ours: `cancelled` when the signal fired, what the adapter knows,
 * `server` for an event that is no JSON, and else a broken connection, `interrupted` or `network`.
 *
 * @param understand what the adapter knows of its client's errors: those with the server's own words. null for all others.
 */
export function toError(
  thrown: unknown,
  context: ErrorContext,
  understand: (thrown: unknown) => AgentSessionError | null,
): AgentSessionError {
  const { signal, redact } = context;
  if (signal.aborted) {
    return new AgentSessionError('cancelled', 'The request was cancelled.', { cause: signal.reason });
  }
  const own = [thrown, fieldsOf(thrown)['cause']].find(isAgentSessionError);
  if (own) return errorWithoutKeys(own, redact);
  const understood = understand(thrown);
  if (understood) return understood;
  return thrown instanceof SyntaxError ? malformedError(thrown, context) : transportError(thrown, context);
}

function malformedError(thrown: SyntaxError, { redact, ending }: ErrorContext) {
  // A client that reads the events itself does not tell which one it was.
  const [data, cause] = thrown instanceof MalformedEvent ? [thrown.data, thrown.cause] : ['', thrown];
  return new AgentSessionError('server', 'The server sent an event that is no JSON.', {
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
  // A page is not told whether a server is down or only does not talk to it.
  const hint = isBrowser() ? ' It may be down, or not allow requests from this page (CORS).' : '';
  return new AgentSessionError('network', `The server could not be reached.${hint}`, {
    details: ending,
    cause,
  });
}
