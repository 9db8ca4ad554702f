import { ClosureHistory } from './closure-history.js';

/**
 * The built-in undo history, the default of a session. It runs the closures that tools pass to `context.undo(…)`. An effect without a
 * closure is reported as irreversible.
 *
 * @example
 * // An app's own history delegates the closures to the built-in one, and adds the turn to its own list as one group.
 * class AppHistory implements UndoProvider {
 *   private readonly closures = new UndoHistory();
 *   begin(label: string) {
 *     return this.closures.begin(label);
 *   }
 * }
 */
export class UndoHistory extends ClosureHistory {}
