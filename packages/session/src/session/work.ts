/** A part of the session whose commands take time: the turns, or undo and redo. */
export interface Work {
  readonly isRunning: boolean;
  /** Resolves when the running command ends, or at once when none runs. */
  readonly ended: Promise<unknown>;
}
