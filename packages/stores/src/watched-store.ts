import { contentRevision } from '@banister/session';
import type { StoreAdapter } from './adapter.js';
import { diff } from './diff.js';
import { Mutations } from './mutations.js';
import { absent, apply, plan, type Kept, type Plan } from './move.js';
import { isSafePath } from './patch-shape.js';
import { pathText, reversed, type Difference, type Patch, type Segment } from './patch.js';
import { SeenChanges } from './seen-changes.js';
import { fieldOf } from './values.js';

/** The settings of a watched store. */
export interface WatchOptions {
  readonly roots?: readonly string[] | undefined;
  readonly key: string;
  /** Whether to search for objects that were changed in place. */
  readonly findsMutations: boolean;
}

/** The changes that a function made. */
export interface Captured extends Difference {
  /** Paths of objects that the function changed in place, in a store that replaces what changes. */
  readonly mutated: readonly (readonly Segment[])[];
  /** In development: fields that the function replaced but that are not watched. */
  readonly outside: readonly string[];
}

/** A call after its first `await`. A change outside of `context.change` may be its own or the user's. */
export interface OpenCall {
  /** The paths that changed while the call waited. */
  readonly paths: Set<string>;
}

/** A store that knows who made each change: a call, an undo or redo, or another writer. */
export class WatchedStore {
  /** The number of running functions of calls and running writes of an undo. */
  private depth = 0;
  private readonly openCalls = new Set<OpenCall>();
  /** The state at the last look. */
  private known: unknown;
  private readonly seen = new SeenChanges();
  private readonly mutations: Mutations | null;
  private readonly listeners = new Set<() => void>();
  private stop: (() => void) | undefined;
  private readonly revisions: () => string;
  /**
   * Patches that were undone without a change, because a later change had overwritten theirs, in the order of their undo. If the undo of that
   * later change brings theirs back, they are undone again.
   */
  private readonly owed = new Set<Patch>();

  constructor(
    private readonly store: StoreAdapter,
    private readonly options: WatchOptions,
  ) {
    this.mutations = options.findsMutations && !store.copy ? new Mutations(options.key) : null;
    this.revisions = store.copy
      ? contentRevision(() => this.snapshot())
      : countedRevisions(() => this.parts());
    try {
      this.known = this.snapshot();
    } catch {
      // The app creates its state later.
    }
  }

  /** The watched fields; undefined for all. */
  get roots(): readonly string[] | undefined {
    return this.options.roots;
  }

  /** Whether a function of a call is running: its changes are already captured. */
  get isCapturing(): boolean {
    return this.depth > 0;
  }

  revision(): string {
    return this.revisions();
  }

  /** Notes an effect of a call on the state of this page. */
  made(callId: string): void {
    this.seen.count(callId, 1);
  }

  /** Runs a function of a call, and returns its changes. The function must not throw. */
  capture(run: () => void): Captured {
    const before = this.noteOthers() ?? this.snapshot();
    this.forgetOwed();
    const stateBefore = this.mutations && this.options.roots && this.store.read();
    if (this.mutations) for (const part of this.parts()) this.mutations.remember(part);
    this.depth++;
    try {
      run();
    } finally {
      this.depth--;
      this.known = this.snapshot();
    }
    this.forgetOwed();
    const { patches, opaque } = this.difference(before, this.known);
    this.seen.changed(patches);
    const isUnsafe = ({ path }: Patch) => !isSafePath(path);
    return {
      patches: patches.some(isUnsafe) ? patches.filter((patch) => !isUnsafe(patch)) : patches,
      opaque: [...opaque, ...patches.filter(isUnsafe).map(({ path }) => path)],
      mutated: this.mutated(),
      outside: stateBefore ? this.outside(stateBefore) : [],
    };
  }

  /** Adds a call that has started to wait. Call the returned function when the call ends. */
  opened(call: OpenCall): () => void {
    this.openCalls.add(call);
    return () => {
      this.noteOthers();
      this.openCalls.delete(call);
    };
  }

  /**
   * Undoes patches of a call, then owed patches that this brings back. Patches that were never in the state of this page are kept.
   *
   * @param others patches of earlier calls that an undo of this call brought back before, and that stayed
   */
  revert(
    callId: string,
    patches: readonly Patch[],
    others: readonly Patch[] = [],
  ): Plan & { readonly stays: readonly Kept[] } {
    this.noteOthers();
    this.forgetOwed();
    const gone = new Set([...this.planned([...this.owed], 'revert').gone, ...others]);
    const moved = this.planned(patches, 'revert');
    this.write(moved.moves);
    for (const patch of others) this.owed.add(patch);
    // Undoing a call may bring back the change of an earlier call.
    const stays = moved.moves.length + others.length > 0 ? this.undoOwed(gone) : [];
    const { ready, moves, kept } = moved;
    const done = new Set([...ready, ...kept.map(({ patch }) => patch)]);
    const settled = patches.filter((patch) => !done.has(patch));
    // If part of the effect was in the state, the user has removed the rest.
    const isHere = (patch: Patch) => moves.length > 0 || this.seen.had(callId, patch);
    const strange = settled.filter((patch) => !isHere(patch));
    for (const patch of settled) if (isHere(patch)) this.owed.add(patch);
    if (kept.length + strange.length + stays.length === 0) this.seen.count(callId, -1);
    return {
      ready,
      moves,
      kept: [...kept, ...strange.map(absent)],
      gone: moved.gone.filter((patch) => !strange.includes(patch)),
      stays,
    };
  }

  /**
   * Undoes owed patches until no owed patch can be undone. Returns the patches that would overwrite an edit, and owes them no longer.
   *
   * @param gone the owed patches whose field or element did not exist before
   */
  private undoOwed(gone: ReadonlySet<Patch>): readonly Kept[] {
    for (;;) {
      const { ready, kept } = this.planned([...this.owed], 'revert');
      if (ready.length > 0) {
        // Two patches of one place cannot be undone in one step: undoing the first may bring back the change of the second.
        const next = [...new Map(ready.map((patch) => [pathText(patch.path), patch])).values()];
        this.write(next.map(reversed));
        for (const patch of next) this.owed.delete(patch);
        continue;
      }
      const stays = kept.filter(({ patch }) => gone.has(patch));
      for (const { patch } of stays) this.owed.delete(patch);
      return stays;
    }
  }

  /** Redoes patches: all of them, or none. */
  reapply(callId: string, patches: readonly Patch[]): Plan {
    this.noteOthers();
    const planned = this.planned(patches, 'reapply');
    if (planned.kept.length > 0) return planned;
    this.made(callId);
    this.write(planned.moves);
    this.forgetOwed();
    return planned;
  }

  private planned(patches: readonly Patch[], direction: 'revert' | 'reapply'): Plan {
    return plan(this.store.read(), patches, direction, this.options.key);
  }

  private write(moves: readonly Patch[]): void {
    if (moves.length === 0) return;
    const { store, options } = this;
    this.depth++;
    this.seen.restored(moves);
    try {
      store.write(apply(store.read(), moves, options.key, store.copy !== undefined), moves, options.key);
    } finally {
      this.depth--;
      this.known = this.snapshot();
    }
  }

  /** Forgets owed patches whose change is in the state again, made by the user or by another call. */
  private forgetOwed(): void {
    if (this.owed.size === 0) return;
    for (const patch of this.planned([...this.owed], 'revert').ready) this.owed.delete(patch);
  }

  /** Calls `changed` after every change not made by a call, an undo or a redo. */
  subscribe(changed: () => void): () => void {
    if (this.listeners.size === 0) {
      this.known = this.noteOthers() ?? this.snapshot();
      this.stop = this.store.subscribe?.(() => void this.noteOthers());
    }
    this.listeners.add(changed);
    return () => {
      this.listeners.delete(changed);
      if (this.listeners.size > 0) return;
      this.stop?.();
      this.stop = undefined;
    };
  }

  /**
   * Notes changes not made by a call, an undo or a redo: for waiting calls and for listeners. Returns the current state; undefined if it has
   * to be read again, because a listener may have changed it.
   */
  private noteOthers(): unknown {
    if (this.depth > 0) return undefined;
    const now = this.snapshot();
    const before = this.known;
    this.known = now;
    if (before === undefined) return now;
    const { patches, opaque } = this.othersSince(before, now);
    const paths = [...patches.map((patch) => patch.path), ...opaque].map(pathText);
    if (paths.length === 0) return now;
    for (const call of this.openCalls) for (const path of paths) call.paths.add(path);
    for (const changed of [...this.listeners]) changed();
    return undefined;
  }

  private othersSince(before: unknown, now: unknown): Difference {
    try {
      const found = this.difference(before, now);
      this.seen.changed(found.patches);
      return found;
    } catch (error) {
      if (this.listeners.size + this.openCalls.size > 0) throw error;
      // The user's change cannot be compared, but no call and no listener needs it.
      return { patches: [], opaque: [] };
    }
  }

  private difference(before: unknown, after: unknown): Difference {
    return diff(before, after, this.options.key, this.options.roots);
  }

  /** The watched parts of the state. */
  private parts(): readonly unknown[] {
    const state = this.store.read();
    return this.options.roots?.map((root) => fieldOf(state, root)) ?? [state];
  }

  /** Returns a state that later changes do not affect: copies of the watched parts if the store changes its objects in place. */
  private snapshot(): unknown {
    const { store, options } = this;
    if (!store.copy) return store.read();
    return Object.fromEntries(options.roots!.map((root) => [root, store.copy!(root)]));
  }

  private outside(before: unknown): readonly string[] {
    const after = this.store.read();
    return Object.keys(Object(after)).filter(
      (name) => !this.options.roots!.includes(name) && fieldOf(before, name) !== fieldOf(after, name),
    );
  }

  private mutated(): readonly (readonly Segment[])[] {
    const { mutations, options } = this;
    if (mutations === null) return [];
    return this.parts().flatMap((part, index) =>
      mutations.find(part, options.roots ? [options.roots[index]!] : []),
    );
  }
}

/** Returns a function for revisions: the revision changes when a part is another object. Every page has different revisions. */
function countedRevisions(parts: () => readonly unknown[]): () => string {
  const page = Math.random();
  let last: readonly unknown[] = [];
  let count = 0;
  return () => {
    const now = parts();
    if (now.length !== last.length || now.some((part, index) => !Object.is(part, last[index]))) count++;
    last = now;
    return `${page}-${count}`;
  };
}
