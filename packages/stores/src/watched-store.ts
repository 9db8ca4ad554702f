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
  /** Whether objects that are changed in place are looked for. */
  readonly findsMutations: boolean;
}

/** The changes of a function. */
export interface Captured extends Difference {
  /** Objects that it changed in place, in a store that replaces what changes. */
  readonly mutated: readonly (readonly Segment[])[];
  /** In development: the fields that it replaced and that are not watched. */
  readonly outside: readonly string[];
}

/** A call behind its first wait: a change outside of `change` may be its own or the user's. */
export interface OpenCall {
  /** The paths that changed meanwhile. */
  readonly paths: Set<string>;
}

/** A store, with the knowledge whose changes it has: those of calls, those of their undo, and all others. */
export class WatchedStore {
  /** Counts functions of calls that run now, and writes of an undo. */
  private depth = 0;
  private readonly openCalls = new Set<OpenCall>();
  /** The state as it was when it was last read. */
  private known: unknown;
  private readonly seen = new SeenChanges();
  private readonly mutations: Mutations | null;
  private readonly listeners = new Set<() => void>();
  private stop: (() => void) | undefined;
  private readonly revisions: () => string;
  /**
   * Patches that were taken back without a change, since a later one had changed the same: where the undo of that one brings their change
   * again, it is taken back with it.
   */
  private readonly owed = new Map<string, Patch>();

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
      // The app makes its state later.
    }
  }

  /** The fields that are watched; undefined for all. */
  get roots(): readonly string[] | undefined {
    return this.options.roots;
  }

  /** Whether a function of a call runs now: its changes are captured already. */
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

  /** Runs a function of a call, which must not throw, and returns its changes. */
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

  /** Adds a call that has begun to wait. Call the returned function at its end. */
  opened(call: OpenCall): () => void {
    this.openCalls.add(call);
    return () => {
      this.noteOthers();
      this.openCalls.delete(call);
    };
  }

  /** Takes patches of a call back, and those again whose change comes with that. One that never was in the state of this page is kept. */
  revert(callId: string, patches: readonly Patch[]): Plan & { readonly stays: readonly Kept[] } {
    this.noteOthers();
    this.forgetOwed();
    const gone = new Set(this.planned([...this.owed.values()], 'revert').gone);
    const moved = this.planned(patches, 'revert');
    this.write(moved.moves);
    const stays: Kept[] = [];
    // The change of an earlier call may lie under that of another one.
    for (let left = moved.moves.length > 0; left;) {
      const owed = this.planned([...this.owed.values()], 'revert');
      for (const one of owed.kept)
        if (gone.delete(one.patch)) {
          this.owed.delete(keyOfPatch(one.patch));
          stays.push(one);
        }
      this.write(owed.moves);
      for (const move of owed.moves) this.owed.delete(keyOfPatch(reversed(move)));
      left = owed.moves.length > 0;
    }
    const { moves, kept } = moved;
    const done = new Set([
      ...moves.map((move) => keyOfPatch(reversed(move))),
      ...kept.map(({ patch }) => keyOfPatch(patch)),
    ]);
    const settled = patches.filter((patch) => !done.has(keyOfPatch(patch)));
    // Where a part of the effect is in the state, the user has removed the rest.
    const isHere = (patch: Patch) => moves.length > 0 || this.seen.had(callId, patch);
    for (const patch of settled) if (isHere(patch)) this.owed.set(keyOfPatch(patch), patch);
    const others = settled.filter((patch) => !isHere(patch));
    if (kept.length + others.length === 0) this.seen.count(callId, -1);
    return {
      moves,
      kept: [...kept, ...others.map(absent)],
      gone: moved.gone.filter((patch) => !others.includes(patch)),
      stays,
    };
  }

  /** Makes patches again: all of them, or none. */
  reapply(callId: string, patches: readonly Patch[]): Plan {
    this.noteOthers();
    const planned = this.planned(patches, 'reapply');
    if (planned.kept.length > 0) return planned;
    this.made(callId);
    this.write(planned.moves);
    for (const patch of patches) this.owed.delete(keyOfPatch(patch));
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

  /** Forgets patches whose change is there again: the user made it, or another call. */
  private forgetOwed(): void {
    if (this.owed.size === 0) return;
    for (const move of this.planned([...this.owed.values()], 'revert').moves)
      this.owed.delete(keyOfPatch(reversed(move)));
  }

  /** Calls back after each change that is none of a call, nor of an undo. */
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
   * Notes changes that are none of a call, nor of an undo: for the calls that wait, and for the listeners. Returns the state as it is, where it
   * was compared and no listener was called, which may change it.
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
      // A change of the user that cannot be compared, of which no call and no listener needs to know.
      return { patches: [], opaque: [] };
    }
  }

  private difference(before: unknown, after: unknown): Difference {
    return diff(before, after, this.options.key, this.options.roots);
  }

  /** The parts of the state that are watched. */
  private parts(): readonly unknown[] {
    const state = this.store.read();
    return this.options.roots?.map((root) => fieldOf(state, root)) ?? [state];
  }

  /** The state, as it stays: a copy of the watched parts, where the store changes its objects in place. */
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

function keyOfPatch({ path, before, after, from, to }: Patch): string {
  return JSON.stringify({ path, before, after, from, to });
}

/** Returns a revision that changes with the identity of the parts. Another page has other ones. */
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
