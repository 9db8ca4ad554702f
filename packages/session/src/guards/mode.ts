import type { Guard } from './guard.js';

/**
 * A way of working that the user chooses. Its guards decide in addition to the app's guards.
 *
 * @example
 * const modes: Mode[] = [
 *   { id: 'plan', title: 'Plan only', guards: [denyCapabilities('mutating', 'destructive', 'paid')], note: 'Plan only: change nothing.' },
 *   { id: 'ask', title: 'Ask first', guards: [confirmCapabilities('mutating')] },
 *   { id: 'auto', title: 'Act alone', guards: [] },
 * ];
 */
export interface Mode {
  /** The name of the mode in the log. */
  readonly id: string;
  /** The name of the mode for the user. */
  readonly title: string;
  /** Called after the guards of the session, in addition to them. */
  readonly guards: readonly Guard[];
  /** A line that the model reads with each request while the mode is in force. Default: none. */
  readonly note?: string | undefined;
}

/** Returns the mode in force: the mode with this id, or else the first mode; undefined if there are no modes. */
export function modeIn(modes: readonly Mode[], id: string | null): Mode | undefined {
  return modes.find((mode) => mode.id === id) ?? modes[0];
}
