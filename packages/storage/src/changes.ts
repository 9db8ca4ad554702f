import type { Bell } from './bell.js';

/** The news that sessions have changed. */
export interface Changes {
  /** Announces a change. */
  announce(id: string): void;
  /** Returns a bell that rings at each change of a session, made here or elsewhere, until the signal fires. */
  follow(id: string, signal: AbortSignal): Bell;
}
