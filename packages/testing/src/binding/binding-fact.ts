import type { Stage } from './stage.js';

/** The facts that the suite proves, by name, for `skip`. */
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

/** One test of the suite. */
export interface Fact {
  readonly fact: BindingFact;
  readonly description: string;
  /** @param mounts views that are mounted to look for leaks */
  prove(stage: Stage, mounts: number): Promise<void>;
}
