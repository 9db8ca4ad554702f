import type { AgentSessionError } from '@banister/provider';
import { disposedError } from '@banister/provider/internal/errors/disposed-error';
import type { Arrived } from './arrivals.js';
import type { CommandName } from './command-table.js';

/** Carries commands to another session, which owns the log. */
export interface Line {
  /**
   * @param run carries out the command in this session, if the session can become the owner
   * @param arrived the command if another session gave it; null for a call of this session
   */
  pass<R>(
    name: CommandName,
    args: readonly unknown[],
    run?: () => Promise<R>,
    arrived?: Arrived | null,
  ): Promise<R>;
  /** Rejects everything that waits, when the session is disposed. */
  abort(): void;
}

/** Returns the line of a session that can only be read: every command rejects. */
export function readOnlyLine(problem: AgentSessionError): Line {
  let reason = problem;
  return {
    pass: () => Promise.reject(reason),
    abort() {
      reason = disposedError();
    },
  };
}
