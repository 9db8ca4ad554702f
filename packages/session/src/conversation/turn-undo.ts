import type { JsonValue } from '../json/json.js';
import type { Revisions } from './revisions.js';

/** The effects of one turn, and the revisions of the domains that it changed. */
export interface TurnUndo {
  /** Ids of the domains that the turn changed; empty until it commits. */
  readonly domains: readonly string[];
  /** Revisions before the turn. */
  readonly before: Revisions;
  /**
   * Revisions that the session last made, with the turn, with its undo or redo, or after it: where the domain has another one now, the
   * user changed it since.
   */
  readonly after: Revisions;
  /** The calls that recorded an effect, in order of their first one. */
  readonly calls: readonly CallEffects[];
  /**
   * The earlier turns that touched the same parts of the app, and of which the path of the turn does not tell whether the turn began with their
   * effects: it did with those of turns off its path in this list, and did not with those of turns on it. Absent where there are none.
   */
  readonly unlikePath?: readonly string[];
}

/** The effects of one call. */
export interface CallEffects {
  readonly callId: string;
  /** `domain.tool` */
  readonly tool: string;
  /** True when a part of the effects cannot be taken back. */
  readonly irreversible: boolean;
  /** In order of recording. */
  readonly steps: readonly EffectStepData[];
}

/** One effect of a call. */
export interface EffectStepData {
  /** 1-based position among the steps of the call. */
  readonly step: number;
  /** The effect in words for the user; the title of the tool where it described none, or else its id. */
  readonly description: string;
  /** The data with which the tool takes the effect back; absent where the tool gave closures, or nothing. */
  readonly data?: JsonValue;
  /** The parts of the domain that it touches; absent where the tool named none, and it may have touched all of it. */
  readonly paths?: readonly string[];
  /** The changed value before and after, for its review; only while the turn runs. */
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  readonly irreversible: boolean;
  /** `lost`: still in effect, and the session that opened the log has no way to take it back. */
  readonly state: 'in-effect' | 'reverted' | 'lost';
  /** The number of times that the effect was taken back or made again; absent before the first. */
  readonly moves?: number;
  /** Present where a file claims the effect: it is not of this device, and no session can take it back. */
  readonly imported?: true;
}
