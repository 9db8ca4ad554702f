import type { Stage } from './stage.js';

/** The names of the facts that the suite proves, for `skip`. */
export type BindingFact =
  | 'initial-value'
  | 'updates'
  | 'one-render'
  | 'one-frame'
  | 'one-switch'
  | 'unread'
  | 'same-result'
  | 'same-object'
  | 'equal-result'
  | 'no-tearing'
  | 'two-views'
  | 'two-sessions'
  | 'teardown'
  | 'remount'
  | 'late-attach'
  | 'error'
  | 'dispose'
  | 'many-mounts'
  | 'other-session';

/** A test of the suite. */
export interface Fact {
  readonly fact: BindingFact;
  readonly description: string;
  /** @param mounts how many views are mounted to look for leaks */
  prove(stage: Stage, mounts: number): Promise<void>;
}
