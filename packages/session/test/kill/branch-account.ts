import type { Operation, UndoTurn } from '@banister/session';
import { allTurns } from './effect-account.js';
import { ended, type Stage } from './scenario.js';

/**
 * Brings the app to the path that an idle session shows, and returns the problems: nothing off the path is in force afterwards, everything on it
 * that a branch command took back is there again. Where an effect is in the way, nothing moves before the command is forced.
 */
export async function followProblems(stage: Stage, log: readonly Operation[]): Promise<readonly string[]> {
  const { session, operations, clock } = stage;
  const { headTurnId } = session.state;
  if (headTurnId === null || !hasBranches(log)) return [];
  const from = operations.length;
  const open = openEntries(session.state.undoEntries);
  // A turn that others follow is no end of a path: the newest of them is the head then.
  const isEnd = allTurns(session.state).every(({ parentId }) => parentId !== headTurnId);
  const problems: string[] = [];
  let error = (await ended(session.switchTo(headTurnId, { effects: 'follow' }), clock)) as Coded | null;
  if (error?.code === 'conflict') {
    const named = new Set(error.details.obstacles!.map(({ turnId }) => turnId));
    for (const turnId of named)
      if (isEnd && !open.has(turnId)) problems.push(`${turnId} is an obstacle, and is right`);
    if (operations.length > from) problems.push('something moved before a conflict');
    error = (await ended(
      session.switchTo(headTurnId, { effects: 'follow', force: true }),
      clock,
    )) as Coded | null;
    if (error !== null && error.code !== 'undo-failed') problems.push(`${error.code}: ${error.message}`);
    return problems;
  }
  if (isEnd && session.state.headTurnId !== headTurnId) problems.push('the head moved');
  if (error !== null && error.code !== 'undo-failed') problems.push(`${error.code}: ${error.message}`);
  const left = openEntries(session.state.undoEntries);
  if (error === null && left.size > 0) problems.push(`${[...left].join()} is not as its path`);
  return problems;
}

interface Coded extends Error {
  readonly code: string;
  readonly details: { readonly obstacles?: readonly { readonly turnId: string }[] };
}

/** Returns the ids of the turns that `follow` moves. */
function openEntries(entries: readonly UndoTurn[]): ReadonlySet<string> {
  const open = entries.filter(({ state, offPath, by }) => (offPath ? state !== 'undone' : by === 'branch'));
  return new Set(open.map(({ turnId }) => turnId));
}

/** Whether a log has a branch command, or a turn beside another one. */
export function hasBranches(log: readonly Operation[]): boolean {
  return log.some(
    (operation) =>
      operation.type === 'headMoved' || operation.type === 'pathCleared' || 'branch' in operation,
  );
}
