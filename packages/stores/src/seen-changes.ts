import { contentRevision } from '@banister/session';
import type { Patch, Segment } from './patch.js';

/**
 * What this page knows about its state: which calls changed it here, and what was in it before a change. An effect of another page is in
 * this page's state only if the two pages share it.
 */
export class SeenChanges {
  /** The number of effects of each call that are in the state. */
  private readonly calls = new Map<string, number>();
  /** Keys of replaced values and their paths. */
  private readonly values = new Set<string>();
  /** The paths of removed elements and objects. */
  private readonly removed = new Set<string>();

  /** Counts an effect of a call: 1 when it is made here, -1 when it is undone. */
  count(callId: string, change: 1 | -1): void {
    this.calls.set(callId, Math.max(0, (this.calls.get(callId) ?? 0) + change));
  }

  /** Notes changes: the value `before` of each patch was in the state. */
  changed(patches: readonly Patch[]): void {
    for (const patch of patches) {
      const { path, before, after } = patch;
      if (typeof before === 'object' && typeof after !== 'object') this.removed.add(path.join('/'));
      else this.values.add(keyOf(patch, before));
    }
    this.restored(patches);
  }

  /** Notes the changes of an undo or a redo: an object that they bring back is no longer removed. */
  restored(moves: readonly Patch[]): void {
    for (const { path, after } of moves) if (typeof after === 'object') this.removed.delete(path.join('/'));
  }

  /** Whether the effect of a call was in the state of this page. If so, a change in this page has removed it. */
  had(callId: string, patch: Patch): boolean {
    return (
      (this.calls.get(callId) ?? 0) > 0 ||
      this.values.has(keyOf(patch, patch.after)) ||
      patch.path.some((_segment, index, path) => this.removed.has(path.slice(0, index + 1).join('/')))
    );
  }
}

/** Returns a hash: a value may be long, and a key is stored for each letter that the user types. */
function keyOf({ path, from, to }: Patch, value: Patch['after']): string {
  const content: readonly [readonly Segment[], unknown] = [path, from && to ? 'moved' : [value ?? []]];
  return contentRevision(() => content)();
}
