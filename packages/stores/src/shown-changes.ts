import type { EffectData } from '@banister/session';
import { pathText, type Patch } from './patch.js';

/** The changes of a call as receipts and reviews show them, and the paths that they touch. */
export type ShownChanges = Partial<Pick<EffectData, 'description' | 'before' | 'after' | 'paths'>>;

/** The maximal number of changes that a description names. */
const NAMED = 3;

/**
 * Returns changes for receipts and reviews: a description such as `Changed cards/42/title`, and the values before and after. If there are
 * several changes, their values are listed by path. The value of a moved element is its index in the list.
 */
export function shownChanges(
  patches: readonly Patch[],
): Pick<EffectData, 'description' | 'before' | 'after'> {
  return {
    description: inWords(patches),
    before: valueOf(patches, ({ before, from }) => before ?? from?.at),
    after: valueOf(patches, ({ after, to }) => after ?? to?.at),
  };
}

function valueOf(patches: readonly Patch[], read: (patch: Patch) => unknown): unknown {
  const [first] = patches;
  if (patches.length === 1) return read(first!);
  return Object.fromEntries(patches.map((patch) => [pathText(patch.path), read(patch)]));
}

function inWords(patches: readonly Patch[]): string {
  const named = patches.slice(0, NAMED).map(describeChange);
  const more = patches.length - named.length;
  return more === 0 ? named.join(', ') : `${named.join(', ')} and ${more} more`;
}

function describeChange(patch: Patch): string {
  return `${verbOf(patch)} ${pathText(patch.path)}`;
}

function verbOf({ before, after, from, to }: Patch): string {
  if (from && to) return 'Moved';
  if (before === undefined) return 'Added';
  return after === undefined ? 'Removed' : 'Changed';
}
