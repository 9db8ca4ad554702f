import type { Bell } from './bell.js';

/** Tells readers that a session has changed. */
export interface Changes {
  /** Announces a change. */
  announce(id: string): void;
  /** Returns a bell that rings at each change of the session, in this page or elsewhere, until `signal` aborts. */
  follow(id: string, signal: AbortSignal): Bell;
}
