import type { HeadMoved } from '../operations/session-operations.js';
import type { TurnRequest } from '../turn/turn-request.js';
import type { Resumption } from './running-turn.js';

/** A turn that passed its checks, and can be started once. */
export interface PreparedTurn {
  readonly request: TurnRequest;
  readonly signal: AbortSignal | undefined;
  /** The move of the head with which the turn begins: away from the turn that it repeats. */
  readonly move: HeadMoved | null;
  /** Present for a turn that was interrupted. */
  readonly resumption?: Resumption;
}
