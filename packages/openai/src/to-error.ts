import type { AgentSessionError, WireNames } from '@handrail/session/provider';
import { toError as toSharedError, type ErrorContext } from '@handrail/wire';
import { readRefusal } from './read-refusal.js';
import { toRefusal } from './refusal.js';

/** What an error of this API has to be understood with. */
export interface RequestContext extends ErrorContext {
  /** The tool ids of the request, in its order. */
  readonly tools: readonly string[];
  readonly names: WireNames;
}

/** The adapter's one place where a foreign error becomes one of ours. */
export function toError(thrown: unknown, context: RequestContext): AgentSessionError {
  return toSharedError(thrown, context, () => {
    const refusal = toRefusal(thrown, context.redact);
    return refusal && readRefusal(refusal, thrown, context);
  });
}
