import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';

/** Returns the error for something that a model does not accept. */
export function unsupported(model: string, what: string): AgentSessionError {
  return new AgentSessionError('unsupported', `The model ${model} does not accept ${what}.`, {
    details: { model },
  });
}
