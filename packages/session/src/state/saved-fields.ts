/** The fields of the state that the fields of a saved conversation have. */
export const savedFields = new Set([
  'sequence',
  'headTurnId',
  'turns',
  'liveTurn',
  'conversation',
  'attachments',
]);

/** The notes of the fold that the fields of a saved conversation have. */
export const savedNotes = new Set(['aside', 'redo', 'marks', 'prefix']);

/**
 * The id of a turn with effects, and the number of own moves that its effects include: the note `undo` in a saved conversation, whose turns
 * have the effects.
 */
export type Noted = readonly [turnId: string, moves: number];
