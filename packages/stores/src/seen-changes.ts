import { contentRevision } from '@banister/session';
import type { Patch, Segment } from './patch.js';

/**
 * What is known of the state in this page: which calls changed it here, and what was in it before a change. An effect of another page is in
 * the state of this one only where the two share it.
 */
export class SeenChanges {
  /** The number of effects of each call that are in the state. */
  private readonly calls = new Map<string, number>();
  /** Values that were replaced, by their paths. */
  private readonly values = new Set<string>();
  /** The paths of elements, and of objects, that were removed. */
  private readonly removed = new Set<string>();

  /** Notes an effect of a call: 1 where it was made here, -1 where it was taken back. */
  count(callId: string, change: 1 | -1): void {
    this.calls.set(callId, Math.max(0, (this.calls.get(callId) ?? 0) + change));
  }

  /** Notes changes: what they replaced was there. */
  changed(patches: readonly Patch[]): void {
    for (const patch of patches) {
      const { path, before, after } = patch;
      if (typeof before === 'object' && typeof after !== 'object') this.removed.add(path.join('/'));
      else this.values.add(keyOf(patch, before));
    }
    this.restored(patches);
  }

  /** Notes that an undo, or a redo, made these changes: what it removed was not removed by the user, and what it brought is there again. */
  restored(moves: readonly Patch[]): void {
    for (const { path, after } of moves) if (typeof after === 'object') this.removed.delete(path.join('/'));
  }

  /** Whether the effect of a call was in the state of this page, so that a change in this page has removed it. */
  had(callId: string, patch: Patch): boolean {
    return (
      (this.calls.get(callId) ?? 0) > 0 ||
      this.values.has(keyOf(patch, patch.after)) ||
      patch.path.some((_segment, index, path) => this.removed.has(path.slice(0, index + 1).join('/')))
    );
  }
}

/** A short key: a value may be long, and changes with each letter that the user types. */
function keyOf({ path, from, to }: Patch, value: Patch['after']): string {
  const content: readonly [readonly Segment[], unknown] = [path, from && to ? 'moved' : [value ?? []]];
  return contentRevision(() => content)();
}
