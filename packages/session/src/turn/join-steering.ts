import { defer, from, type Observable } from 'rxjs';
import { inputParts } from '../conversation/message.js';
import type { TurnFact } from '../operations/operation.js';
import type { QueueItem } from '../state/session-state.js';
import type { Turn } from './turn-context.js';

type SteeredTurn = Pick<Turn, 'current' | 'cancellation' | 'spending' | 'ports' | 'structured'>;

/**
 * Adds the messages to the turn that wait to join it, between two rounds. The queue is read again after each: a subscriber of the fact
 * may have removed the next one, or cancelled.
 */
export function joinSteering(turn: SteeredTurn): Observable<TurnFact> {
  return defer(() => from(steeredFacts(turn)));
}

function* steeredFacts(turn: SteeredTurn): Generator<TurnFact> {
  for (let item = nextSteering(turn); item !== undefined; item = nextSteering(turn)) {
    const message = {
      id: turn.ports.ids.next('message'),
      role: 'user',
      parts: inputParts(item.input),
    } as const;
    yield { type: 'steered', id: item.id, message, round: turn.spending.rounds };
  }
}

/**
 * Returns the message that joins the turn now; undefined where there is none. After a cancel, a stop, while the
 * user is asked for more, or after an answer after which the limits permit no round, none does. None joins a turn of `generate`.
 */
export function nextSteering({
  current,
  cancellation,
  spending,
  structured,
}: Omit<SteeredTurn, 'ports'>): QueueItem | undefined {
  const { queue, fold, pendingExtension } = current();
  const [item] = queue;
  if (
    !item?.steering ||
    structured !== null ||
    cancellation.level !== null ||
    pendingExtension !== null ||
    fold.turn?.ending?.kind === 'stopped'
  )
    return undefined;
  return spending.rounds > 0 && spending.permitsRound ? item : undefined;
}
