import type { JsonValue } from '../json/json.js';

/** The effects of a turn, with everything that undoing and redoing them needs beside code. */
export interface TurnUndo {
  /** Ids of the domains that the turn changed. */
  readonly domains: readonly string[];
  /** Revisions before the turn, by domain id; after an undo or a redo, those that it made. */
  readonly before: Readonly<Record<string, string | number>>;
  /** Revisions that the session last made, by domain id. */
  readonly after: Readonly<Record<string, string | number>>;
  /** The calls that had effects, in the order of their first step. */
  readonly calls: readonly CallEffects[];
}

/** The effects of a call. */
export interface CallEffects {
  readonly callId: string;
  /** `domain.tool` */
  readonly tool: string;
  /** True when a part of the effect cannot be taken back. */
  readonly irreversible: boolean;
  /** In order of recording; they are reverted newest first. */
  readonly steps: readonly EffectStepData[];
}

/** One step of an effect. */
export interface EffectStepData {
  /** Its number among the steps of its call. */
  readonly step: number;
  readonly description: string;
  /** The data with which the tool reverts the step; absent where a closure does. */
  readonly data?: JsonValue;
  readonly irreversible: boolean;
  /** `lost`: the step is in effect, and its closure was lost with its session. */
  readonly state: 'in-effect' | 'reverted' | 'lost';
}
