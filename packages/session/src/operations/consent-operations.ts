import type { JsonObject } from '../json/json.js';

/** How long an approval is remembered: for the rest of the turn, of the session, or until it is revoked. */
export type Remember = 'turn' | 'session' | 'always';

/**
 * An approval that is remembered: a call of this tool that a guard would ask about is allowed. Plain JSON.
 *
 * It stands for one tool with the definition that it had. It never allows a call that a guard denies.
 */
export interface Grant {
  readonly id: string;
  /** `domain.tool` */
  readonly tool: string;
  /** The definition that the tool had, as canonical JSON: its description, parameters and capabilities. With another one the grant does not stand. */
  readonly definition: string;
  readonly remember: Remember;
  /** The arguments for which it stands, exactly; absent where it stands for any. */
  readonly arguments?: JsonObject;
  /** The time of the approval, in milliseconds since the epoch. */
  readonly at: number;
  /** The session in which it was given. A log that is opened under another id brings no grants. */
  readonly session: string;
  /** The turn for which it stands; present with `turn`. */
  readonly turnId?: string;
}

/** The mode of the session was changed. */
export interface ModeChanged {
  readonly type: 'modeChanged';
  /** null where the session has no modes any more. */
  readonly mode: string | null;
}

/** The list of grants is another one: one was revoked, or the store of grants has others. */
export interface GrantsChanged {
  readonly type: 'grantsChanged';
  readonly grants: readonly Grant[];
}

export type ConsentOperation = ModeChanged | GrantsChanged;
