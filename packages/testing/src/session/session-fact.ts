import type { SessionStage } from './session-stage.js';

/** The names of the facts that the suite proves, for `skip`. */
export type SessionFact =
  | 'answer'
  | 'running-at-once'
  | 'operations'
  | 'signals'
  | 'immutable'
  | 'busy'
  | 'invalid-input'
  | 'limits'
  | 'failure'
  | 'cancel'
  | 'abort-signal'
  | 'aborted-signal'
  | 'retry'
  | 'confirm'
  | 'deny'
  | 'edited-arguments'
  | 'answered-once'
  | 'answer-is-a-fact'
  | 'extend'
  | 'end'
  | 'accept'
  | 'reject'
  | 'child-turn'
  | 'child-live'
  | 'child-question'
  | 'child-cancel'
  | 'child-undo'
  | 'undo'
  | 'nothing-to-undo'
  | 'nothing-to-resume'
  | 'queue'
  | 'steer'
  | 'regenerate'
  | 'edit'
  | 'switch'
  | 'save'
  | 'bound-methods'
  | 'dispose'
  | 'dispose-rolls-back';

/** A test of the suite. */
export interface ProvenSessionFact {
  readonly fact: SessionFact;
  readonly description: string;
  prove(stage: SessionStage): Promise<void>;
}
