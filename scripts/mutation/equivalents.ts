import type { Mutant } from './mutants.js';

/** A mutant that no test can tell from the source, because it does the same. */
export interface Equivalent {
  readonly file: string;
  /** The named function that it is in. */
  readonly inside: string;
  readonly from: string;
  readonly to: string;
  /** Why it does the same. */
  readonly reason: string;
}

/** They are left out of the draw. */
export const equivalents: readonly Equivalent[] = [];

/** Whether the list has this mutant. */
export function isEquivalent(mutant: Mutant): boolean {
  return equivalents.some(({ file, inside, from, to }) => {
    return mutant.file === file && mutant.inside === inside && mutant.from === from && mutant.to === to;
  });
}
