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
