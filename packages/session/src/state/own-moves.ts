import { defined } from '@banister/provider/internal/json/defined';
import type { TurnUndo } from '../conversation/turn-undo.js';
import type { Moved } from '../operations/moved.js';
import type { OwnMove, UndoNote } from './undo-note.js';

type Revision = string | number | undefined;

/** Returns the session's own moves in the payload of an operation. */
export function ownMoves(moved: Moved): readonly OwnMove[] {
  return Object.entries(moved).flatMap(([domain, { from, to }]) =>
    to === undefined || from === to ? [] : [defined({ domain, from, to }) as OwnMove],
  );
}

/**
 * Returns the effects of turns with their current revisions, by turn id. If the revision of a turn was up to date before an own move, it is
 * up to date after it too. Without this, the next undo would take the session's own change for a change of the user.
 */
export function currentUndo(
  notes: readonly UndoNote[],
  moves: readonly OwnMove[],
): ReadonlyMap<string, TurnUndo> {
  // Walks from the newest move to the oldest. `later` maps a revision to the revision after all moves from `next` on.
  const later = new Map<string, Map<Revision, string | number>>();
  const result = new Map<string, TurnUndo>();
  let next = moves.length;
  for (const { turnId, undo, moves: first } of notes.toSorted((a, b) => b.moves - a.moves)) {
    while (next > first) {
      const { domain, from, to } = moves[--next]!;
      const ofDomain = later.get(domain) ?? new Map<Revision, string | number>();
      later.set(domain, ofDomain.set(from, ofDomain.get(to) ?? to));
    }
    result.set(turnId, movedOn(undo, later));
  }
  return result;
}

function movedOn(
  undo: TurnUndo,
  later: ReadonlyMap<string, ReadonlyMap<Revision, string | number>>,
): TurnUndo {
  const changed = undo.domains.flatMap((domain) => {
    const to = later.get(domain)?.get(undo.after[domain]);
    return to === undefined || to === undo.after[domain] ? [] : [[domain, to] as const];
  });
  return changed.length === 0 ? undo : { ...undo, after: { ...undo.after, ...Object.fromEntries(changed) } };
}
