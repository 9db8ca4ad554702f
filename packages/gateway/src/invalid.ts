import { AgentSessionError } from '@banister/provider';

/** Returns the error for options that cannot work. */
export function invalid(message: string): AgentSessionError {
  return new AgentSessionError('invalid-configuration', message);
}
