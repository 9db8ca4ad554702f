import { callsOf, type TurnRecord, type UndoItem } from '../conversation/turn-record.js';
import type { TurnFact } from '../operations/operation.js';
import { findTurn } from '../state/tree.js';
import type { TurnLog } from '../undo/turn-transaction.js';
import type { TurnRequest } from './turn-request.js';

/**
 * Returns the log of a turn for its undo transaction, also after the turn has ended.
 *
 * @param running the calls whose executors have not returned: no operation ends a call that was cut
 */
export function liveTurnLog(
  { id, current, host }: Pick<TurnRequest, 'id' | 'current' | 'host'>,
  emit: (fact: TurnFact) => void,
  running: ReadonlyMap<string, UndoItem>,
): TurnLog {
  const effects = () => current().fold.undo[id]?.calls ?? [];
  const isLive = () => current().liveTurn?.id === id;
  return {
    turnId: id,
    effects,
    answered: () => answeredCalls(findTurn(current(), id)?.turn),
    unknown: () => Array.from(running.values(), (item) => described(item, effects())),
    readRevisions: () => host.readRevisions(),
    moved: (fact) => (isLive() ? emit(fact) : host.effectMoved({ ...fact, target: id })),
  };
}

/** Returns the ids of the calls that have a result, and were not cut. */
export function answeredCalls(record: TurnRecord | undefined): ReadonlySet<string> {
  const calls = record?.rounds.flatMap(callsOf) ?? [];
  return new Set(
    calls.flatMap(({ id, result }) => (result === undefined || result.outcome === 'timed-out' ? [] : [id])),
  );
}

function described(item: UndoItem, effects: ReturnType<TurnLog['effects']>): UndoItem {
  const call = effects.find(({ callId }) => callId === item.toolCallId);
  if (call === undefined) return item;
  return { ...item, description: call.steps.map(({ description }) => description).join('; ') };
}
