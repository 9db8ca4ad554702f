import type { TurnUndo } from '../conversation/turn-undo.js';

/** A change of a domain's revision that the session itself made. */
export interface OwnMove {
  readonly domain: string;
  /** Absent if the domain had no revision. */
  readonly from?: string | number;
  readonly to: string | number;
}

/**
 * The effects of a turn with the revisions as they were recorded. The session's own later changes move the revision `after`. They are
 * applied when it is read, so that an operation changes the note of one turn and not the notes of all turns.
 */
export interface UndoNote {
  readonly turnId: string;
  readonly undo: TurnUndo;
  /** The number of own moves that `undo.after` already includes. */
  readonly moves: number;
}

/** The effects of a turn that has recorded none yet. */
export const noEffects: TurnUndo = { domains: [], before: {}, after: {}, calls: [] };

/**
 * Returns the note of a turn that has recorded no effect yet.
 *
 * @param moves the number of own moves until now
 */
export function newUndoNote(turnId: string, moves: number): UndoNote {
  return { turnId, undo: noEffects, moves };
}
