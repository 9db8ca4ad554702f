import { callsOf } from '../conversation/turn-record.js';
import type { FoldState, Interruption } from './session-state.js';

/** Returns the work that is open in a state, as the next owner of its log finds it; null when there is none. */
export function interruptionOf(state: FoldState): Interruption | null {
  const { undoing } = state.fold;
  if (undoing !== null) return { turnId: undoing.target, at: undoing.direction, unknown: [] };
  const { liveTurn } = state;
  if (liveTurn === null) return null;
  return { turnId: liveTurn.id, at: pointOf(state), unknown: unknownCalls(state) };
}

function pointOf({ fold }: FoldState): Interruption['at'] {
  const { turn } = fold;
  if (turn === null) return 'round';
  const { closing, cancel, review, round } = turn;
  if (closing !== null) return closing;
  // Also after a cancel: effects that were accepted stay.
  if (review !== undefined) return 'review';
  if (cancel !== null) return cancel.sideEffects === 'keep' ? 'commit' : 'rollback';
  if (round === null || round.appended) return 'round';
  // An answer that was withheld is not asked for again, whole or not.
  const isDecided = round.finish !== null || round.withheld === true;
  return isDecided || round.innerCalls.length > 0 ? 'batch' : 'stream';
}

/** Returns the ids of the calls that may have acted: their executors were called, and no fact holds the end. */
export function unknownCalls(state: FoldState): readonly string[] {
  const { revisions } = state.fold.turn ?? {};
  if (!revisions) return [];
  const mayAct = new Set([
    ...Object.values(revisions.running).flatMap(({ calls }) => calls),
    ...Object.keys(revisions.cut),
  ]);
  const calls = state.liveTurn?.rounds.flatMap(callsOf) ?? [];
  return calls.flatMap(({ id }) => (mayAct.has(id) ? [id] : []));
}

/** Returns a key of the point of an interruption: it changes with `interrupted.at`, with each new round, and with each call of it that is settled. */
export function pointKeyOf({ interrupted, liveTurn }: FoldState): string {
  const settled = callsOf(liveTurn?.rounds.at(-1)).filter(({ state }) => state === 'settled').length;
  return [interrupted?.at, liveTurn?.rounds.length ?? 0, settled].join(' ');
}

/** Whether an earlier owner of the log went on with the interrupted work at the point where it is now. */
export function wasResumed(state: FoldState): boolean {
  const { undoing, turn } = state.fold;
  return undoing === null ? turn?.resumedAt === pointKeyOf(state) : undoing.isFinished === true;
}
