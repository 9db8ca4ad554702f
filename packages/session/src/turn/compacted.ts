import { defer, from, mergeMap, type Observable } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';
import type { AskRound, CompactingTurn } from './turn-request.js';

/**
 * Sends the request of a round with the messages of the conversation. If the conversation was compacted, or may be compacted, the stages of
 * compaction send the request. A cancel ends the wait for their code.
 */
export function compacted(turn: CompactingTurn, ask: AskRound): Observable<TurnFact> {
  const { compaction } = turn.settings;
  const { compactions } = turn.current();
  if (!compaction.isAutomatic && compactions.length === 0) return ask(turn.state().conversation.messages, 1);
  return defer(() => from(compaction.load(turn.ports.clock)).pipe(turn.cancellation.untilCancelled())).pipe(
    mergeMap(({ askRound }) => askRound(turn, ask)),
  );
}
