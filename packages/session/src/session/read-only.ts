import type { AgentSessionError } from '../errors/agent-session-error.js';
import { disposedError } from '../errors/disposed-error.js';
import type { Detour } from './detour.js';

/** The detour of a session that can only be read: every command rejects. */
export class ReadOnly implements Detour {
  constructor(private reason: AgentSessionError) {}

  pass(): Promise<never> {
    return Promise.reject(this.reason);
  }

  abort(): void {
    this.reason = disposedError();
  }
}
