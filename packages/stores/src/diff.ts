import { diffLists, type Found } from './diff-lists.js';
import type { Difference, Patch, Segment } from './patch.js';
import { fieldOf, isEqual, isJson, isPlain, MAX_LEVELS, type Plain } from './values.js';

/**
 * Returns the changes from one value to another. Identical objects are skipped: if a store replaces what changes, only the fields on the
 * path to a change, and the elements of its list, are compared.
 *
 * @param key the field that identifies the elements of lists
 * @param roots the fields of the value to compare. Default: all
 */
export function diff(before: unknown, after: unknown, key: string, roots?: readonly string[]): Difference {
  const found = new Changes(key);
  if (roots === undefined) found.compare([], before, after);
  else for (const root of roots) found.compare([root], fieldOf(before, root), fieldOf(after, root));
  return found;
}

class Changes implements Found {
  readonly patches: Patch[] = [];
  readonly opaque: (readonly Segment[])[] = [];

  constructor(readonly key: string) {}

  compare(path: readonly Segment[], before: unknown, after: unknown): void {
    if (Object.is(before, after)) return;
    // A circular value has no end.
    if (path.length > MAX_LEVELS) this.opaque.push(path);
    else if (isPlain(before) && isPlain(after)) this.compareFields(path, before, after);
    else if (!Array.isArray(before) || !Array.isArray(after) || !diffLists(this, path, before, after))
      this.add(path, before, after);
  }

  private compareFields(path: readonly Segment[], before: Plain, after: Plain): void {
    for (const name in before)
      if (before[name] !== after[name]) this.compare([...path, name], before[name], fieldOf(after, name));
    for (const name in after)
      if (!Object.hasOwn(before, name)) this.compare([...path, name], undefined, after[name]);
  }

  /** Adds the change of a value as a whole. */
  private add(path: readonly Segment[], before: unknown, after: unknown): void {
    // The methods of a store are not content.
    if (isMethodOrAbsent(before) && isMethodOrAbsent(after)) return;
    if (!isJsonOrAbsent(before) || !isJsonOrAbsent(after)) this.opaque.push(path);
    // An equal copy of a list is no change: its record would look like the change of an earlier call.
    else if (!isEqual(before, after)) this.patches.push({ path, before, after });
  }
}

function isMethodOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'function';
}

function isJsonOrAbsent(value: unknown): value is Patch['before'] {
  return value === undefined || isJson(value);
}
