import { AgentSessionError, isAgentSessionError, type ErrorCode, type ErrorData } from '@banister/provider';

/**
 * The messages for users. The messages of a model's server name the operator's accounts, organisations and limits, and sometimes part of
 * the key: they go only to the hook `onError`.
 */
const words: { readonly [C in ErrorCode]?: string } = {
  auth: 'The gateway has no access to the model.',
  quota: 'The gateway has no credit for the model.',
  model: 'The model of the gateway is not available.',
  'rate-limit': 'The model has too many requests at the moment.',
  overloaded: 'The model is overloaded at the moment.',
  'context-length': 'The conversation is too long for the model.',
  refused: 'The model refused the request.',
  network: 'The gateway could not reach the model.',
  interrupted: 'The connection to the model broke.',
  server: 'The model has a fault.',
  timeout: 'The answer took too long.',
  cancelled: 'The answer was cancelled.',
  'invalid-configuration': 'The model did not accept the request.',
};

/** The details that a session needs for its decisions. All other details reveal something about the operator's account or requests. */
const passedOn = ['refused', 'status', 'tool', 'finishReason', 'limit'];

/**
 * Returns an error as a client may see it.
 *
 * @param isExposed whether the error's own message may be shown, because the client is the developer's machine
 */
export function visibleError(thrown: unknown, isExposed: boolean): ErrorData {
  // An unknown error may contain anything, so its message is never shown.
  const error = isAgentSessionError(thrown)
    ? thrown
    : new AgentSessionError('provider-contract', 'The model provider of the gateway failed.');
  const { code, message, retry, details } = error.toJSON();
  if (isExposed) return { code, message, retry, details };
  const kept = Object.fromEntries(Object.entries(details).filter(([name]) => passedOn.includes(name)));
  const shown = words[code] ?? 'The model provider of the gateway failed.';
  return { code, message: shown, retry, details: kept };
}
