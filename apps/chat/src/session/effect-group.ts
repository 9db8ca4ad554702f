import { counted } from './counted.js';

/** The kinds that the steps of a turn show as well: each says that it is undone, done again, or was not started. */
const onSteps = new Set<EffectGroup['kind']>(['taken-back', 'redone', 'never-ran']);

/** Divides groups into those that say more than the steps do, and the others, with the words over these. */
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

/** Effects, or calls, that have something in common: a heading with a list below it. */
export interface EffectGroup {
  readonly kind: 'taken-back' | 'redone' | 'never-ran' | 'unknown' | 'in-effect' | 'yours';
  readonly heading: string;
  readonly lines: readonly EffectLine[];
}

export interface EffectLine {
  readonly text: string;
  /** The card that the line is about, by id or title; absent where it is about none, or several. */
  readonly card?: string;
  /** Why it is still in effect, or not known. */
  readonly reason?: string;
}
