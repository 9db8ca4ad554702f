import { callsOf, type RoundRecord, type TurnRecord, type UndoItem } from '../conversation/turn-record.js';
import type { EffectMoved } from '../operations/tool-operations.js';
import { findTurn } from '../state/tree.js';
import { effectsOf } from '../state/undo-notes.js';
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
    position: callPositions(() => findTurn(current(), turnId)?.turn.rounds ?? []),
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
  request: Pick<TurnRequest, 'id' | 'current' | 'host' | 'journal'>,
  emit: (fact: EffectMoved) => void,
  running: ReadonlyMap<string, RunningCall>,
): TurnLog {
  const { id, current, host, journal } = request;
  const log = turnLog(id, request, {
    emit: (fact) => {
      if (current().liveTurn?.id === id) emit(fact);
      else host.emit({ ...fact, target: id });
    },
    owned: () => journal.owned(),
    unknown: () => Array.from(running.values(), ({ item }) => described(item, log.effects())),
  });
  return log;
}

/**
 * Returns a function that returns the index of a call among the calls of all rounds. The calls of a round are read once, at the first call
 * that is looked up, and the calls of the last round again when it has got another call.
 */
function callPositions(roundsNow: () => readonly RoundRecord[]): (callId: string) => number {
  const positions = new Map<string, number>();
  /** The round that is read next, and the number of calls before it. */
  let from = 0;
  let before = 0;
  return (callId) => {
    const rounds = roundsNow();
    for (let round = from; round < rounds.length && !positions.has(callId); round++) {
      if (round > from) before += callsOf(rounds[from++]).length;
      let position = before;
      for (const { id } of callsOf(rounds[round])) positions.set(id, position++);
    }
    return positions.get(callId) ?? -1;
  };
}

/** Returns the ids of the calls that have a result and did not time out. */
function answeredCalls(record: TurnRecord | undefined): ReadonlySet<string> {
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
