import type { Guard } from './guard.js';

/**
 * A way of working that the user chooses: guards that decide beside those of the app.
 *
 * @example
 * const modes: Mode[] = [
 *   { id: 'plan', title: 'Plan only', guards: [denyCapabilities('mutating', 'destructive', 'paid')], note: 'Plan only: change nothing.' },
 *   { id: 'ask', title: 'Ask first', guards: [confirmCapabilities('mutating')] },
 *   { id: 'auto', title: 'Act alone', guards: [] },
 * ];
 */
export interface Mode {
  /** Names the mode in the log. */
  readonly id: string;
  /** The name that the user sees. */
  readonly title: string;
  /** Called after the guards of the session, which they never replace. */
  readonly guards: readonly Guard[];
  /** A line that the model reads with each request while the mode is in force. Default: none. */
  readonly note?: string | undefined;
}

/** Returns the mode in force: the one with this id, else the first; undefined where there is none. */
export function modeIn(modes: readonly Mode[], id: string | null): Mode | undefined {
  return modes.find((mode) => mode.id === id) ?? modes[0];
}
