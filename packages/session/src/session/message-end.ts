import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import type { TurnRecord } from '../conversation/turn-record.js';
import { endedTurn } from '../conversation/turn-tree.js';
import type { EnqueueResult } from '../queue/enqueue-options.js';
import { givenKey } from '../queue/queue-notes.js';
import type { TurnResult } from './agent-session.js';
import type { SessionCore } from './session-core.js';

type Core = Pick<SessionCore, 'current' | 'errors'>;

/**
 * Returns how a message ended whose id the app gave; null while the message waits, or its turn has not ended. Throws the error of its turn,
 * also if the turn waits because its model has failed.
 */
export function messageEnd(core: Core, id: string): EnqueueResult | null {
  const { queue, liveTurn, interrupted, fold } = core.current;
  const turn = fold.given[givenKey(id)]!;
  if (queue.some((item) => item.id === id)) return null;
  if (liveTurn?.id === turn) {
    if (interrupted?.error) throw core.errors.of(interrupted.error);
    return null;
  }
  const record = endedTurn(turn, core.current);
  // The message was removed.
  return record === null ? 'cancelled' : statusOf(core, record);
}

/** Returns the status of an ended turn. Throws the error with which its command rejects. */
export function statusOf({ errors }: Pick<Core, 'errors'>, { outcome }: TurnRecord): TurnResult['status'] {
  const { status, error } = outcome!;
  if (status === 'cancelled') throw cancelledError();
  if (status === 'failed') throw errors.of(error!);
  return status;
}
