import type { AgentSessionError } from '@banister/provider';
import type { SessionFact } from '../operations/operation.js';
import type { MakeParts } from '../turn/turn-context.js';
import type { TurnRequest } from '../turn/turn-request.js';
import type { CancelOptions } from './agent-session.js';
import type { Resumption } from './running-turn.js';

/** The ids of a turn that a view shows before its first operation. */
export interface TurnIds {
  readonly turn: string;
  readonly message: string;
}

/** The end of a turn that a session could not run: the cancel that ended it, or the error with which it failed. */
export type TurnEnd = { readonly cancel: CancelOptions } | { readonly error: AgentSessionError };

/** A turn that has passed its checks, and can be started once. */
export interface PreparedTurn {
  readonly request: TurnRequest;
  readonly makeParts: MakeParts;
  readonly signal: AbortSignal | undefined;
  /** Fires when the subscriber of the turn's `turn$` has unsubscribed. */
  readonly left?: AbortSignal | undefined;
  /** The facts emitted before the turn begins: the head moves away from the turn that is repeated, the message leaves the queue. */
  readonly before: readonly SessionFact[];
  /** Present for a turn that was interrupted. */
  readonly resumption?: Resumption;
}
