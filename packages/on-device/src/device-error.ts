import {
  AgentSessionError,
  isAgentSessionError,
  messageOf,
  type ErrorCode,
  type JsonObject,
} from '@banister/provider';

/** The step in which an error was thrown. */
export type Stage = 'creating' | 'answering';

/** Codes and messages for the names of the API's exceptions, after the table "Errors" of its specification. */
const meanings: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  NotAllowedError: [
    'auth',
    'The browser does not allow this page to use its model: it is switched off, not allowed in this frame, or wants a click first.',
  ],
  SecurityError: ['auth', 'The browser does not allow this content to be given to its model.'],
  NotSupportedError: [
    'unsupported',
    'The browser’s model does not support this: the language, or the kind of input, is not one of its own.',
  ],
  NotReadableError: ['refused', 'The browser withheld the answer of its model.'],
  EncodingError: ['unreadable-attachment', 'The browser cannot read the image.'],
  NetworkError: ['network', 'The model could not be downloaded.'],
  AbortError: ['interrupted', 'The browser ended the session of its model.'],
  InvalidStateError: [
    'interrupted',
    'The session of the model is over: it was destroyed, or its page is gone.',
  ],
};

/** Returns an `AgentSessionError` for any value thrown by the browser's API. */
export function deviceError(thrown: unknown, stage: Stage, signal?: AbortSignal): AgentSessionError {
  if (signal?.aborted) return cancelled(signal);
  if (isAgentSessionError(thrown)) return thrown;
  const { name } = (thrown ?? {}) as { readonly name?: unknown };
  if (name === 'QuotaExceededError') return contextLength(thrown);
  // The browser's own reason is a detail for debugging; the message is for users.
  const details: JsonObject = typeof name === 'string' ? { exception: name, reason: messageOf(thrown) } : {};
  const meaning = meanings[String(name)];
  if (meaning) return new AgentSessionError(meaning[0], meaning[1], { cause: thrown, details });
  const badOptions = stage === 'creating' && (thrown instanceof TypeError || thrown instanceof RangeError);
  return badOptions
    ? new AgentSessionError(
        'invalid-configuration',
        `The browser refused the options: ${messageOf(thrown)}`,
        {
          cause: thrown,
          details,
        },
      )
    : new AgentSessionError('server', `The browser’s model failed: ${messageOf(thrown)}`, {
        cause: thrown,
        details,
      });
}

/** The error of an aborted request. */
export function cancelled(signal: AbortSignal): AgentSessionError {
  return new AgentSessionError('cancelled', 'The request was cancelled.', { cause: signal.reason });
}

/** The error if the conversation exceeds the context window, with the browser's token counts if it states them. */
function contextLength(thrown: unknown): AgentSessionError {
  const { requested, quota } = thrown as { readonly requested?: unknown; readonly quota?: unknown };
  return new AgentSessionError(
    'context-length',
    'The conversation is longer than the model of this device can hold.',
    {
      cause: thrown,
      details: {
        ...(typeof requested === 'number' ? { requestedTokens: requested } : {}),
        ...(typeof quota === 'number' ? { contextWindow: quota } : {}),
      },
    },
  );
}
