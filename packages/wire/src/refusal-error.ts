import { AgentSessionError, type ErrorCode, type JsonObject, type RetryHint } from '@banister/provider';
import { fieldsOf } from './json-fields.js';
import { retryAfter } from './retry-after.js';
import type { ErrorContext } from './classify-error.js';

/** A server's refusal, classified by the adapter. */
export interface UnderstoodRefusal {
  readonly code: ErrorCode;
  readonly status: number | undefined;
  /** The server's message without keys; empty if there is none. */
  readonly said: string;
  /** The adapter's own message, if it is more exact than the message for the code. */
  readonly message?: string | undefined;
  readonly details: JsonObject;
}

/** Characters of a server's message that are kept. */
const LONGEST_SAID = 1_000;

/** Returns a server's message in the form that an error may hold: without keys, and cut at a limit. */
export function saidBy(words: string, redact: (text: string) => string): string {
  return redact(words).slice(0, LONGEST_SAID);
}

/** Returns a sentence that quotes the server's message, to be appended; empty if there is no message. */
export function quoted(said: string): string {
  return said === '' ? '' : ` The server said: ${said}`;
}

/**
 * Returns a refusal as an `AgentSessionError` with a message for users. The wait that the server asks for
 * becomes the retry hint. The cause may hold keys; {@link classifyError} removes them.
 *
 * @param thrown the thrown error; its `headers` are read, else the headers of the context
 */
export function refusalError(
  refusal: UnderstoodRefusal,
  thrown: unknown,
  { model, headers }: Pick<ErrorContext, 'model' | 'headers'>,
): AgentSessionError {
  const { code } = refusal;
  const mayWait = code === 'rate-limit' || code === 'overloaded' || code === 'server';
  return new AgentSessionError(code, refusal.message ?? messageFor(refusal, model), {
    details: refusal.details,
    cause: thrown,
    ...(mayWait ? { retry: retryOf(refusal, fieldsOf(thrown)['headers'] ?? headers) } : {}),
  });
}

function retryOf({ code, status }: UnderstoodRefusal, headers: unknown): RetryHint {
  const afterMs = retryAfter(headers);
  if (afterMs !== undefined) return { afterMs };
  // 501 (not implemented) does not change with a retry.
  return code === 'server' && status === 501 ? 'never' : 'now';
}

function messageFor({ code, status, said }: UnderstoodRefusal, model: string): string {
  switch (code) {
    case 'auth':
      return status === 403
        ? `The server does not allow this request.${quoted(said)}`
        : 'The server did not accept the API key.'; // The server's own message often contains half of the key.
    case 'quota':
      return 'The account has no credit.';
    case 'rate-limit':
      return 'There were too many requests; the server asks to wait.';
    case 'model':
      return `The model "${model}" is not available.${quoted(said)}`;
    case 'context-length':
      return status === 413
        ? 'The request is too large for the server. A file of the last message may be the cause.'
        : 'The conversation has become too long for the model.';
    case 'overloaded':
      return 'The model is overloaded at the moment.';
    case 'refused':
      return 'The content filter of the server refused the request.';
    case 'network':
      return 'The server timed out before the request was complete.';
    case 'invalid-configuration':
      return status === 404
        ? `There is no such API at the base URL.${quoted(said)}`
        : `The server refused the request.${quoted(said)}`;
    default:
      return `The server failed.${quoted(said)}`;
  }
}
