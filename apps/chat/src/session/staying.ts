import type { AgentSession, UndoTurn } from '@banister/session';

/** How the board differs from the shown version of the conversation. */
export interface Staying {
  /** Turns of other versions whose changes are in effect. */
  readonly others: readonly UndoTurn[];
  /** Turns of the shown version that were undone for another version. */
  readonly missing: readonly UndoTurn[];
  /** Whether the board can be adapted at least in part. */
  readonly canFollow: boolean;
}

/** Reads signals. */
export function stayingIn({ undoEntries }: Pick<AgentSession, 'undoEntries'>): Staying {
  const others = undoEntries.value.filter(({ offPath, state }) => offPath && state !== 'undone');
  const missing = undoEntries.value.filter(
    ({ offPath, by, state }) =>
      !offPath && by === 'branch' && (state === 'undone' || state === 'partly-redone'),
  );
  return { others, missing, canFollow: others.some(isMovable) || missing.some(isMovable) };
}

/** Returns the changes that an edit or a regeneration undoes: changes of a turn and of all later turns. */
export function changesFrom(session: Pick<AgentSession, 'turns' | 'undoEntries'>, turnId: string) {
  const turns = session.turns.value;
  const leaving = new Set(turns.slice(turns.findIndex(({ id }) => id === turnId)).map(({ id }) => id));
  const effects = session.undoEntries.value
    .filter((entry) => leaving.has(entry.turnId) && entry.state !== 'undone')
    .flatMap((entry) => entry.effects);
  return {
    all: effects.length,
    fixed: effects.filter((effect) => effect.irreversible || effect.lost).length,
  };
}

/** Returns whether undo or redo can move at least one effect of the turn. */
function isMovable({ effects }: UndoTurn): boolean {
  return effects.some(({ irreversible, lost }) => !irreversible && !lost);
}
