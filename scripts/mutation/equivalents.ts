import type { Mutant } from './mutants.js';

/** A mutant that no test can distinguish from the source, because it does the same. */
export interface Equivalent {
  /** From packages/session/src. */
  readonly file: string;
  /** The named function that it is in. */
  readonly inside: string;
  readonly from: string;
  readonly to: string;
  /** A part of its line, where the function has several mutants of this kind. */
  readonly on?: string;
  /** Why it does the same. */
  readonly reason: string;
}

const onlyTheSign = 'Only the sign of a comparison counts.';
const limitsAreAboveZero = 'A limit is above 0, so that neither number exceeds it.';

/** They are left out of the draw. */
export const equivalents: readonly Equivalent[] = [
  { file: 'undo/revisions.ts', inside: 'asRevision', on: '-1 : 1', from: '1', to: '2', reason: onlyTheSign },
  { file: 'undo/revisions.ts', inside: 'asRevision', from: '-1', to: '(-2)', reason: onlyTheSign },
  {
    file: 'state/state-store.ts',
    inside: 'fold',
    from: `this.textFields =
      operation.type === 'text' ? changes.map(({ path }) => path[0] as keyof SessionState) : [];`,
    to: ';',
    reason:
      'Text that follows text is then folded by its handler instead of appended: the same state, but slower.',
  },
  { file: 'limits/spending.ts', inside: 'checkUsage', from: '0', to: '(-1)', reason: limitsAreAboveZero },
  {
    file: 'tools/validators/linear-pattern.ts',
    inside: 'readerOf',
    from: 'this.readers.set(element, reads);',
    to: ';',
    reason: 'The map is a cache: without it, equal readers are made for each use of an element.',
  },
];

/** Whether the list has this mutant. */
export function isEquivalent(mutant: Mutant): boolean {
  return equivalents.some((equivalent) => isSame(equivalent, mutant));
}

export function isSame({ file, inside, from, to, on = '' }: Equivalent, mutant: Mutant): boolean {
  const isHere = mutant.file === `packages/session/src/${file}` && mutant.inside === inside;
  return isHere && mutant.lineText.includes(on) && mutant.from === from && mutant.to === to;
}
