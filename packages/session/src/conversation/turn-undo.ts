import type { JsonValue } from '@banister/provider';
import type { Revisions } from './revisions.js';

/** The effects of one turn, and the revisions of the domains that it changed. */
export interface TurnUndo {
  /** Ids of the domains that the turn changed; empty until it commits. */
  readonly domains: readonly string[];
  /** Revisions before the turn. */
  readonly before: Revisions;
  /**
   * The revisions after the session's last changes: by the turn, by its undo or redo, or later. If a domain has another revision now, the
   * user has changed it since.
   */
  readonly after: Revisions;
  /** The calls that recorded an effect, in the order of their first effect. */
  readonly calls: readonly CallEffects[];
  /**
   * Exceptions for a later redo: earlier turns that touched the same parts of the app, and whose effects were not as the path of this turn
   * suggests when it began. For a turn in this list that is off the path, its effects were in place; for a turn on the path, they were not.
   * Absent if there are no exceptions.
   */
  readonly unlikePath?: readonly string[];
}

/** The effects of one call. */
export interface CallEffects {
  readonly callId: string;
  /** `domain.tool` */
  readonly tool: string;
  /** The id of the child turn whose call it is; absent for a call of the turn itself. */
  readonly child?: string;
  /** True if a part of the effects cannot be taken back. */
  readonly irreversible: boolean;
  /** The effects in the order in which they were recorded. */
  readonly steps: readonly EffectStepData[];
}

/** One effect of a call. */
export interface EffectStepData {
  /** 1-based position among the effects of the call. */
  readonly step: number;
  /** The effect as a sentence for the user. If the tool gave no description, the title of the tool, or its id. */
  readonly description: string;
  /** The data with which the tool takes the effect back; absent if the tool gave closures, or nothing. */
  readonly data?: JsonValue;
  /** The parts of the domain that the effect touches. Absent if the tool named none; then the effect may have touched the whole domain. */
  readonly paths?: readonly string[];
  /** The changed value before and after, for its review. Present only while the turn runs. */
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  readonly irreversible: boolean;
  /** `lost`: still in effect, but the session that opened the log cannot take it back. */
  readonly state: 'in-effect' | 'reverted' | 'lost';
  /** How many times the effect was taken back or made again; absent before the first time. */
  readonly moves?: number;
  /** Present if the effect comes from an imported file: it was not made on this device, and no session can take it back. */
  readonly imported?: true;
}
