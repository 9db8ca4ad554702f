import type { SessionFact } from '../operations/operation.js';
import type { TurnRequest } from '../turn/turn-request.js';
import type { Resumption } from './running-turn.js';

/** A turn that passed its checks, and can be started once. */
export interface PreparedTurn {
  readonly request: TurnRequest;
  readonly signal: AbortSignal | undefined;
  /** The facts with which the turn begins: the move of the head away from the turn that it repeats, the end of its wait in the queue. */
  readonly before: readonly SessionFact[];
  /** Present for a turn that was interrupted. */
  readonly resumption?: Resumption;
}
