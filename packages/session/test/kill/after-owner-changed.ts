import type { ChildTurn, Operation, SessionState } from '@banister/session';
import { isDeepStrictEqual } from 'node:util';
import { foldStateOf } from '../../src/state/session-state.js';

type Json = Record<string, unknown>;

/** Returns a copy without undefined fields. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Returns the differences between the state of a cut log and that of the session which took it over, beyond those that are promised. */
export function takenOverProblems(
  before: SessionState,
  after: SessionState,
  operations: readonly Operation[],
): readonly string[] {
  const types = operations.map(({ type }) => type);
  const problems = types.join() === 'ownerChanged' ? [] : [`the session opened with ${types.join()}`];
  const isInterrupted = after.interrupted !== null;
  const expected = asTakenOver(before, isInterrupted);
  const shown = asTakenOver(after, isInterrupted);
  if (after.isRunning || after.phase !== 'idle') problems.push('it runs');
  if (after.pendingRetry !== null) problems.push('a retry is waited for');
  for (const { expiresAt, attended } of after.pendingConfirmations)
    if (expiresAt !== null || attended) problems.push('an open question has a deadline');
  if (after.sequence !== before.sequence + 1)
    problems.push('the opening has another number than the next one');
  if (isInterrupted && (after.canUndo || after.canRedo))
    problems.push('an undo or redo is offered in an interrupted turn');
  if (after.queuePaused !== after.queue.length > 0) problems.push('the queue is not paused');
  if (JSON.stringify(openPart([after.liveTurn, after.activeToolCalls])).includes('"state":"executing"'))
    problems.push('a call is executing');
  for (const key of Object.keys(expected))
    if (!isDeepStrictEqual(asJson(expected[key]), asJson(shown[key]))) problems.push(`${key} changed`);
  return problems;
}

/** Returns records without the child turns that have ended: a call of theirs that was cut stays as it was, as in any turn that has ended. */
function openPart(records: unknown): unknown {
  return JSON.parse(JSON.stringify(records), (_key, value: unknown) =>
    isEndedChild(value) ? null : value,
  ) as unknown;
}

function isEndedChild(value: unknown): boolean {
  const { agent, outcome } = (value ?? {}) as Partial<ChildTurn>;
  return typeof agent === 'string' && outcome !== null && outcome !== undefined;
}

/**
 * Returns a state without the fields that a change of the owner sets, with interrupted calls and lost steps, and with the message whose
 * turn did not begin. A branch command that was cut between two of its steps ran, and nothing of it is interrupted.
 */
function asTakenOver(state: SessionState, isInterrupted: boolean): Json {
  const {
    sequence: _s,
    interrupted: _i,
    canUndo: _u,
    canRedo: _r,
    queuePaused: _p,
    isRunning: _run,
    phase: _phase,
    pendingRetry: _retry,
    ...kept
  } = state as unknown as Json;
  const {
    undo: _undo,
    undoable: _undoable,
    undone: _undone,
    starting,
    turn,
    ...others
  } = foldStateOf(state).fold;
  const notes = { ...others, turn: turn && { ...turn, undo: null } };
  const entries = state.undoEntries.map(({ turnId, label, state: own, offPath, by }) => ({
    turnId,
    label,
    state: own,
    offPath,
    by,
  }));
  const queue = starting === null ? state.queue : [starting, ...state.queue];
  const review = state.pendingReview?.effects.map(({ lost: _lost, ...effect }) => effect);
  const fields: Json = { ...kept, fold: notes, undoEntries: entries, queue, pendingReview: review };
  if (!isInterrupted) return fields;
  const calls = JSON.stringify([fields.liveTurn, fields.activeToolCalls]);
  return {
    ...fields,
    liveTurn: JSON.parse(calls.replaceAll('"state":"executing"', '"state":"interrupted"')),
    activeToolCalls: null,
    pendingConfirmations: state.pendingConfirmations.map(({ attended: _attended, ...request }) => ({
      ...request,
      expiresAt: null,
    })),
    pendingExtension: state.pendingExtension && { ...state.pendingExtension, expiresAt: null },
  };
}
