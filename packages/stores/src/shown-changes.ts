import type { EffectData } from '@banister/session';
import { pathText, type Patch } from './patch.js';

/** The changes of a call, as receipts and reviews show them, and the part of the app that they touch. */
export type ShownChanges = Partial<Pick<EffectData, 'description' | 'before' | 'after' | 'paths'>>;

/** The most changes that a description names. */
const NAMED = 3;

/**
 * Returns changes for receipts and reviews: in words, `Changed cards/42/title`, and with the values before and after. Those of several changes are
 * by their paths; that of an element that was moved is its position in the list, from 0.
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
