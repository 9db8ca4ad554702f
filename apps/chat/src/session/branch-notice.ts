import type { EffectGroup } from './effect-group.js';

/** The words of the grip about the versions of a conversation, with the choices. */
export interface BranchNotice {
  /** `question`: it needs an answer. `problem`: a command was walked back. `staying`: the board differs from the shown version. */
  readonly kind: 'question' | 'problem' | 'staying';
  readonly title: string;
  readonly groups: readonly EffectGroup[];
  /** The difference between the choices. */
  readonly hint?: string;
  /** The ways to go on. */
  readonly actions: readonly NoticeAction[];
  /** Leaves everything as it is. */
  leave(): void;
}

export interface NoticeAction {
  readonly label: string;
  readonly isPrimary?: true;
  run(): void;
}
