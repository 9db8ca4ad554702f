import type { JsonObject } from '@banister/provider';

/** How long an approval is remembered: for the rest of the turn, of the session, or until it is revoked. */
export type Remember = 'turn' | 'session' | 'always';

/**
 * A remembered approval: calls of this tool are allowed when a guard would ask about them. Plain JSON.
 *
 * A grant is valid for one tool, as long as its definition stays the same. It never allows a call that a guard denies.
 */
export interface Grant {
  readonly id: string;
  /** `domain.tool` */
  readonly tool: string;
  /**
   * The definition of the tool at that time, as canonical JSON: its description, parameters and capabilities. If the tool has another
   * definition, the grant is not valid.
   */
  readonly definition: string;
  readonly remember: Remember;
  /** The exact arguments for which the grant is valid; absent if it is valid for any arguments. */
  readonly arguments?: JsonObject;
  /** The time of the approval, in milliseconds since 1970. */
  readonly at: number;
  /** The session in which the approval was given. A log that is opened under another id brings no grants. */
  readonly session: string;
  /** The turn for which the grant is valid; present if `remember` is `turn`. It is the turn that the user sent, also for an agent. */
  readonly turnId?: string;
  /**
   * The id of the agent in whose call the approval was given: the grant is valid in the child turns of this agent. Absent for a call of the
   * session's own model, and then the grant is valid for its calls only.
   */
  readonly agent?: string;
}

/** The mode of the session was changed. */
export interface ModeChanged {
  readonly type: 'modeChanged';
  /** null if the session has no modes any more. */
  readonly mode: string | null;
}

/** The list of grants has changed: a grant was revoked, or the store of grants has changed. */
export interface GrantsChanged {
  readonly type: 'grantsChanged';
  readonly grants: readonly Grant[];
}

export type ConsentOperation = ModeChanged | GrantsChanged;
