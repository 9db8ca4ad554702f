import { allCallsOf, type TurnRecord, type UndoItem } from '../conversation/turn-record.js';
import type { EffectMoved } from '../operations/tool-operations.js';
import { effectPlaces } from '../state/effect-order.js';
import { findTurn } from '../state/tree.js';
import { effectsOf } from '../state/undo-notes.js';
import type { CallEffects } from '../conversation/turn-undo.js';
import type { TurnLog } from '../undo/turn-transaction.js';
import type { RunningCall, TurnRequest } from './turn-request.js';

/** The functions of a turn's log that depend on the session that ran the turn. */
interface TurnLogSource {
  /** Emits the operation about an attempt to move an effect. */
  emit(fact: EffectMoved): void;
  /** Returns the calls that may change something and have not ended. */
  unknown(): readonly UndoItem[];
  /** See `TurnJournal.owned`. */
  owned(): void | Promise<void>;
}

/** Returns the log of a turn for its undo transaction. It also works after the turn has ended. */
export function turnLog(
  turnId: string,
  { current, host }: Pick<TurnRequest, 'current' | 'host'>,
  { emit, unknown, owned }: TurnLogSource,
): TurnLog {
  return {
    turnId,
    effects: () => effectsOf(current(), turnId),
    answered: () => answeredCalls(findTurn(current(), turnId)?.turn),
    position: effectPlaces(current, turnId),
    unknown,
    owned,
    readRevisions: () => host.shared!.readRevisions(),
    moved: emit,
  };
}

/**
 * Returns the log of a turn that this session runs.
 *
 * @param running the calls whose executors have not returned; the state does not show that for an aborted call
 */
export function liveTurnLog(
  request: Pick<TurnRequest, 'effectsOf' | 'current' | 'host' | 'journal'>,
  emit: (fact: EffectMoved) => void,
  running: ReadonlyMap<string, RunningCall>,
): TurnLog {
  const { effectsOf: turnId, current, host, journal } = request;
  const log = turnLog(turnId, request, {
    emit: (fact) => {
      if (current().liveTurn?.id === turnId) emit(fact);
      else host.emit({ ...fact, target: turnId });
    },
    owned: () => journal.owned(),
    unknown: () => Array.from(running.values(), ({ item }) => described(item, log.effects())),
  });
  return log;
}

/** Returns the ids of the calls that have a result and did not time out. */
function answeredCalls(record: TurnRecord | undefined): ReadonlySet<string> {
  return new Set(
    allCallsOf(record).flatMap(({ id, result }) =>
      result === undefined || result.outcome === 'timed-out' ? [] : [id],
    ),
  );
}

/** Returns the item of a call that has not ended, with the descriptions of the effects that it has recorded. */
export function described(item: UndoItem, effects: readonly CallEffects[]): UndoItem {
  const call = effects.find(({ callId }) => callId === item.toolCallId);
  if (call === undefined) return item;
  return { ...item, description: call.steps.map(({ description }) => description).join('; ') };
}
