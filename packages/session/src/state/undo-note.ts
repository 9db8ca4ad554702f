import type { TurnUndo } from '../conversation/turn-undo.js';

/** A change of the revision of a domain that the session itself made. */
export interface OwnMove {
  readonly domain: string;
  /** Absent where the domain had no revision. */
  readonly from?: string | number;
  readonly to: string | number;
}

/**
 * The effects of a turn with the revisions as they were recorded. The session's own later changes move its revision `after`; they are
 * applied when it is read, so that an operation changes the note of one turn, not those of all.
 */
export interface UndoNote {
  readonly turnId: string;
  readonly undo: TurnUndo;
  /** The number of own moves that `undo.after` has already. */
  readonly moves: number;
}

/** The effects of a turn that recorded none yet. */
export const noEffects: TurnUndo = { domains: [], before: {}, after: {}, calls: [] };

/**
 * Returns the note of a turn that recorded no effect yet.
 *
 * @param moves the number of own moves so far
 */
export function newUndoNote(turnId: string, moves: number): UndoNote {
  return { turnId, undo: noEffects, moves };
}
