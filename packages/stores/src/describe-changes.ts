import { pathText, type Patch } from './patch.js';

/** The most changes that a description names. */
const NAMED = 3;

/** Returns changes in words for the user: `Changed cards/42/title`. */
export function describeChanges(patches: readonly Patch[]): string {
  const named = patches.slice(0, NAMED).map(describeChange);
  const more = patches.length - named.length;
  return more === 0 ? named.join(', ') : `${named.join(', ')} and ${more} more`;
}

function describeChange({ path, before, after, from, to }: Patch): string {
  const name = pathText(path);
  if (from && to) return `Moved ${name}`;
  if (before === undefined) return `Added ${name}`;
  return after === undefined ? `Removed ${name}` : `Changed ${name}`;
}
