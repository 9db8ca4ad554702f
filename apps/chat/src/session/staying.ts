import type { AgentSession, UndoTurn } from '@banister/session';

/** The ways in which the board differs from what the shown version of the conversation did. */
export interface Staying {
  /** Turns of other versions whose changes are in effect. */
  readonly others: readonly UndoTurn[];
  /** Turns of the shown version that were taken back for another one. */
  readonly missing: readonly UndoTurn[];
  /** Whether the board can follow at least in part. */
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

/** The changes that an edit or another attempt takes back: of a turn, and of all that follow it. */
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

/** Whether undo or redo reaches an effect of it. */
function isMovable({ effects }: UndoTurn): boolean {
  return effects.some(({ irreversible, lost }) => !irreversible && !lost);
}
