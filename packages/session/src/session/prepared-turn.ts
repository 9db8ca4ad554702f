import type { AgentSessionError } from '../errors/agent-session-error.js';
import type { SessionFact } from '../operations/operation.js';
import type { TurnRequest } from '../turn/turn-request.js';
import type { CancelOptions } from './agent-session.js';
import type { Resumption } from './running-turn.js';

/** The ids of a turn that a view shows before its first operation. */
export interface TurnIds {
  readonly turn: string;
  readonly message: string;
}

/** The end of a turn that a session could not run: its cancel, or the error with which it failed. */
export type TurnEnd = { readonly cancel: CancelOptions } | { readonly error: AgentSessionError };

/** A turn that passed its checks, and can be started once. */
export interface PreparedTurn {
  readonly request: TurnRequest;
  readonly signal: AbortSignal | undefined;
  /** Fires when the subscriber of its `turn$` has unsubscribed. */
  readonly left?: AbortSignal | undefined;
  /** The facts with which the turn begins: the move of the head away from the turn that it repeats, the end of its wait in the queue. */
  readonly before: readonly SessionFact[];
  /** Present for a turn that was interrupted. */
  readonly resumption?: Resumption;
}
