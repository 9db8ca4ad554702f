import type { EffectGroup } from './effect-group.js';

/** What the grip says about the versions of a conversation, with the choices. */
export interface BranchNotice {
  /**
   * `question`: it needs an answer. `problem`: a command was rolled back. `staying`: the board differs from
   * the shown version.
   */
  readonly kind: 'question' | 'problem' | 'staying';
  readonly title: string;
  readonly groups: readonly EffectGroup[];
  /** What distinguishes the choices. */
  readonly hint?: string;
  /** The choices. */
  readonly actions: readonly NoticeAction[];
  /** Dismisses the notice and changes nothing. */
  leave(): void;
}

export interface NoticeAction {
  readonly label: string;
  readonly isPrimary?: true;
  run(): void;
}
