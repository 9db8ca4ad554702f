import { AgentSessionError } from '@handrail/session/provider';
import { fieldsOf, textIn, toError as toSharedError, withoutKeys, type ErrorContext } from '@handrail/wire';
import { readRefusal } from './read-refusal.js';
import { toRefusal } from './refusal.js';

/** What an error of this API has to be understood with. */
export interface RequestContext extends ErrorContext {
  /** The tools of the request in its order; those of the server by their own names. */
  readonly tools: readonly string[];
}

/** The adapter's one place where a foreign error becomes one of ours. */
export function toError(thrown: unknown, context: RequestContext): AgentSessionError {
  return toSharedError(thrown, context, () => {
    const refusal = toRefusal(thrown, context.redact);
    if (refusal) return readRefusal(refusal, thrown, context);
    return isAboutCredentials(thrown, context) ? noKeyError(thrown, context) : null;
  });
}

/** The client throws errors of its connection under these names; before it has one, all others are about credentials. */
function isAboutCredentials(thrown: unknown, { answering }: RequestContext): boolean {
  const isOther = !textIn(fieldsOf(thrown)['name']).startsWith('APIConnection');
  return !answering && isOther && !(thrown instanceof SyntaxError);
}

function noKeyError(thrown: unknown, { redact }: RequestContext): AgentSessionError {
  return new AgentSessionError('auth', 'There is no usable API key. Pass apiKey, or set ANTHROPIC_API_KEY.', {
    cause: withoutKeys(thrown, redact),
  });
}
