import {
  AgentSessionError,
  isAgentSessionError,
  type ErrorCode,
  type ErrorData,
} from '@banister/session/provider';

/**
 * The words for users. Those of a model's server name accounts, organisations and limits of the operator, and sometimes a piece of the key: they
 * go to the hook `onError` alone.
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

/** The details by which a session decides; all others tell about the operator's account or its requests. */
const passedOn = ['refused', 'status', 'tool', 'finishReason', 'limit'];

/**
 * Returns an error as a client may see it.
 *
 * @param isExposed whether the words of the error itself may be shown, on the machine of a developer
 */
export function visibleError(thrown: unknown, isExposed: boolean): ErrorData {
  // An error of unknown kind may hold anything, so that its words are never shown.
  const error = isAgentSessionError(thrown)
    ? thrown
    : new AgentSessionError('provider-contract', 'The model provider of the gateway failed.');
  const { code, message, retry, details } = error.toJSON();
  if (isExposed) return { code, message, retry, details };
  const kept = Object.fromEntries(Object.entries(details).filter(([name]) => passedOn.includes(name)));
  const shown = words[code] ?? 'The model provider of the gateway failed.';
  return { code, message: shown, retry, details: kept };
}
