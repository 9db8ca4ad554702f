import { inputParts } from '@banister/provider/internal/messages/message';
import type { QueueItem } from '../state/session-state.js';
import type { Stage } from './concat.js';
import type { Turn } from './turn-context.js';

type SteeredTurn = Pick<Turn, 'agent' | 'current' | 'cancellation' | 'spending' | 'ports' | 'structured'>;

/**
 * Between two rounds, adds the waiting steering messages to the turn. The queue is read again after each message, because a subscriber of
 * the fact may have removed the next message, or cancelled.
 */
export function joinSteering(turn: SteeredTurn): Stage {
  return () => {
    const item = nextSteering(turn);
    if (item === undefined) return [];
    const { id, input } = item;
    const message = {
      id: turn.ports.ids.next('message'),
      role: 'user',
      parts: inputParts(input),
    } as const;
    return [{ type: 'steered', id, message, round: turn.spending.rounds }, joinSteering(turn)];
  };
}

/**
 * Returns the message that joins the turn, or the child turn, now; undefined if there is none. No message joins after a cancel, after a stop, while an
 * extension is requested from the user, or if the limits permit no further round. No message joins a turn of `generate`.
 */
export function nextSteering({
  agent,
  current,
  cancellation,
  spending,
  structured,
}: Omit<SteeredTurn, 'ports'>): QueueItem | undefined {
  const { queue, fold, pendingExtension } = current();
  const item = queue.find(({ steering, child }) => steering && child === agent?.child);
  if (
    item === undefined ||
    structured !== undefined ||
    cancellation.level !== null ||
    pendingExtension !== null ||
    fold.turn?.ending?.kind === 'stopped'
  )
    return undefined;
  return spending.rounds > 0 && spending.permitsRound ? item : undefined;
}
