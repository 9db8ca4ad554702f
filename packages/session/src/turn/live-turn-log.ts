import { callsOf, type TurnRecord, type UndoItem } from '../conversation/turn-record.js';
import type { TurnFact } from '../operations/operation.js';
import type { FoldState } from '../state/session-state.js';
import type { TurnLog } from '../undo/turn-transaction.js';
import type { TurnRequest } from './turn-request.js';

/**
 * Returns the log of a turn for its undo transaction, also after the turn has ended.
 *
 * @param running the calls whose executors have not returned: no operation ends a call that was cut
 */
export function liveTurnLog(
  { id, state, host }: Pick<TurnRequest, 'id' | 'state' | 'host'>,
  emit: (fact: TurnFact) => void,
  running: ReadonlyMap<string, UndoItem>,
): TurnLog {
  const effects = () => (state() as FoldState).fold.undo[id]?.calls ?? [];
  const isLive = () => state().liveTurn?.id === id;
  return {
    turnId: id,
    effects,
    answered: () => answeredCalls(recordOf(state(), id)),
    unknown: () => Array.from(running.values(), (item) => described(item, effects())),
    readRevisions: () => host.readRevisions(),
    moved: (fact) => (isLive() ? emit(fact) : host.effectMoved({ ...fact, target: id })),
  };
}

/** Returns the running turn, or the one that has ended, with this id. */
export function recordOf({ liveTurn, turns }: Pick<FoldState, 'liveTurn' | 'turns'>, id: string) {
  return liveTurn?.id === id ? liveTurn : turns.findLast((turn) => turn.id === id);
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
