import { counted } from './counted.js';

/** The kinds that the steps of a turn show too: undone, redone, or not started. */
const onSteps = new Set<EffectGroup['kind']>(['taken-back', 'redone', 'never-ran']);

/** Divides groups into groups that say more than the steps, and the other groups with their heading. */
export function foldedGroups(groups: readonly EffectGroup[]): {
  readonly open: readonly EffectGroup[];
  readonly folded: readonly EffectGroup[];
  readonly summary: string;
} {
  const folded = groups.filter(({ kind }) => onSteps.has(kind));
  const count = folded.reduce((sum, { lines }) => sum + lines.length, 0);
  return {
    open: groups.filter(({ kind }) => !onSteps.has(kind)),
    folded,
    summary: counted(count, 'step'),
  };
}

/** Effects or calls with something in common: a heading with a list below it. */
export interface EffectGroup {
  readonly kind: 'taken-back' | 'redone' | 'never-ran' | 'unknown' | 'in-effect' | 'yours';
  readonly heading: string;
  readonly lines: readonly EffectLine[];
}

export interface EffectLine {
  readonly text: string;
  /** The card that the line is about, by id or title; absent if it is not about exactly one card. */
  readonly card?: string;
  /** Why it is still in effect, or unknown. */
  readonly reason?: string;
}
