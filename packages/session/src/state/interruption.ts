import { allCallsOf, callsOf } from '../conversation/turn-record.js';
import type { FoldState, Interruption } from './session-state.js';

/** Returns the open work in a state, as the next owner of its log finds it; null if there is none. */
export function interruptionOf(state: FoldState): Interruption | null {
  const { undoing } = state.fold;
  if (undoing !== null) return { turnId: undoing.target, at: undoing.direction, unknown: [] };
  const { liveTurn } = state;
  if (liveTurn === null) return null;
  return { turnId: liveTurn.id, at: pointOf(state), unknown: unknownCalls(state) };
}

/**
 * Returns true if work is open in the state of a writer: a turn, an undo or a redo has begun and not ended, or the queue goes on by itself.
 * The next owner of the log finds an interruption, or a queue that it has paused.
 */
export function hasOpenWork({ fold, liveTurn, queue, queuePaused }: FoldState): boolean {
  // `starting`: a message has left the queue, and its turn is about to begin.
  const isRunning = liveTurn !== null || fold.undoing !== null || fold.starting !== null;
  return isRunning || (queue.length > 0 && !queuePaused);
}

function pointOf({ fold }: FoldState): Interruption['at'] {
  const { turn } = fold;
  if (turn === null) return 'round';
  const { closing, cancel, review, round } = turn;
  if (closing !== null) return closing;
  // Checked before a cancel, because accepted effects stay after a cancel too.
  if (review !== undefined) return 'review';
  if (cancel !== null) return cancel.sideEffects === 'keep' ? 'commit' : 'rollback';
  if (round === null || round.appended) return 'round';
  // A withheld answer is not requested again, whether it is complete or not.
  const isDecided = round.finish !== null || round.withheld === true;
  return isDecided || round.innerCalls.length > 0 ? 'batch' : 'stream';
}

/** Returns the ids of the calls that may have acted: their executors were called, and no fact has their end. */
export function unknownCalls(state: FoldState): readonly string[] {
  const { revisions } = state.fold.turn ?? {};
  if (!revisions) return [];
  const mayAct = new Set([
    ...Object.values(revisions.running).flatMap(({ calls }) => calls),
    ...Object.keys(revisions.cut),
  ]);
  return allCallsOf(state.liveTurn).flatMap(({ id }) => (mayAct.has(id) ? [id] : []));
}

/**
 * Returns a key for the point of an interruption. It changes with `interrupted.at`, with each new round, and with each settled call of the
 * round.
 */
export function pointKeyOf({ interrupted, liveTurn }: FoldState): string {
  const settled = callsOf(liveTurn?.rounds.at(-1)).filter(({ state }) => state === 'settled').length;
  return [interrupted?.at, liveTurn?.rounds.length ?? 0, settled].join(' ');
}

/** Returns true if an earlier owner of the log has already resumed the interrupted work at its current point. */
export function wasResumed(state: FoldState): boolean {
  const { undoing, turn } = state.fold;
  return undoing === null ? turn?.resumedAt === pointKeyOf(state) : undoing.isFinished === true;
}
