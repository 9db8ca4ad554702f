import type { EffectData, ToolContext } from '@banister/session';
import { sentence } from '@banister/provider';
import { pathText, type Patch, type Segment } from './patch.js';
import type { PatchData } from './patch-undo.js';
import { shownChanges, type ShownChanges } from './shown-changes.js';
import type { Captured, OpenCall, WatchedStore } from './watched-store.js';

/** The parts that a call is made of. */
export interface CallParts {
  /** The name of the tool. */
  readonly tool: string;
  readonly title: string | undefined;
  readonly context: ToolContext;
  readonly describe: ((changes: readonly Patch[]) => ShownChanges) | undefined;
  /** Writes a warning, in development. */
  warn(message: string): void;
  /** Writes a warning in development, once for each message. */
  warnOnce(message: string): void;
}

/** One call of a wrapped tool. */
export class WrappedCall implements OpenCall {
  readonly paths = new Set<string>();
  /** Whether an effect has the title of the tool. */
  private isTitled = false;

  constructor(
    private readonly store: WatchedStore,
    private readonly parts: CallParts,
  ) {}

  /** Runs the tool, and records the changes that belong to its call. */
  run<T>(execute: (context: ToolContext) => T): T {
    const change = <R>(mutate: () => R) => this.change(mutate);
    // The original context is the prototype, because some of its members are created at first read.
    const own = Object.create(this.parts.context, { change: { value: change } }) as ToolContext;
    const result = this.captured(() => execute(own));
    return isPromise(result) ? (this.followed(result) as T) : result;
  }

  private change<R>(mutate: () => R): R {
    const result = this.store.isCapturing ? mutate() : this.captured(mutate);
    if (isPromise(result))
      this.parts.warn(
        `The function that ${this.parts.tool} gave context.change waits. Changes behind an await are not its own.`,
      );
    return result;
  }

  /** Runs a function, and records its changes, even if it throws. */
  private captured<R>(run: () => R): R {
    let end: (() => R) | undefined;
    const act = () => {
      try {
        const result = run();
        end = () => result;
      } catch (error) {
        end = () => {
          throw error;
        };
      }
    };
    try {
      this.record(this.store.capture(act));
    } catch (error) {
      // The store could not be read, so the function did not run.
      if (end === undefined) throw error;
      this.irreversible([[]], `cannot be taken back: ${String(error)}`);
    }
    return end!();
  }

  private record({ patches, opaque, mutated, outside }: Captured): void {
    if (patches.length > 0) {
      this.store.made(this.parts.context.callId);
      const data: PatchData = { banisterStore: 1, patches };
      const shown = { ...this.titled(patches), paths: pathsOf(patches), ...this.described(patches) };
      void this.parts.context.undo({ ...shown, data } satisfies EffectData);
    }
    if (opaque.length > 0) this.irreversible(opaque, 'cannot be taken back: JSON cannot hold its value');
    if (mutated.length > 0) this.irreversible(mutated, 'cannot be taken back: it was changed in place');
    if (outside.length > 0 && patches.length + opaque.length + mutated.length === 0)
      this.parts.warnOnce(
        `${this.parts.tool} changed ${outside.join(', ')}, and none of the roots: its calls cannot be undone.`,
      );
  }

  /** The first changes get the title of the tool; later changes of the same call are described by their paths. */
  private titled(patches: readonly Patch[]): ReturnType<typeof shownChanges> {
    const shown = shownChanges(patches);
    const { title } = this.parts;
    if (title === undefined || this.isTitled) return shown;
    this.isTitled = true;
    return { ...shown, description: title };
  }

  /** The app's words. If `describe` throws, the paths are shown instead. */
  private described(patches: readonly Patch[]): ShownChanges | undefined {
    try {
      return this.parts.describe?.(patches);
    } catch (error) {
      this.parts.warn(`${this.parts.tool}: describe: ${String(error)}`);
      return undefined;
    }
  }

  private irreversible(places: readonly (readonly Segment[])[], reason: string): void {
    const names = places.map(pathText);
    this.parts.context.irreversible(`Changed ${names.join(', ')}`, {
      paths: places.map((path) => path.join('/')),
    });
    for (const name of names) this.parts.warn(sentence(`${this.parts.tool}: ${name} ${reason}`));
  }

  private async followed(result: PromiseLike<unknown>): Promise<unknown> {
    const end = this.store.opened(this);
    try {
      return await result;
    } finally {
      end();
      const paths = [...this.paths];
      if (paths.length > 0) {
        this.parts.context.unattributed(paths);
        this.parts.warn(
          `${paths.join(', ')} changed while ${this.parts.tool} ran. Its changes behind an await belong into context.change.`,
        );
      }
    }
  }
}

/** Returns each path once. A move has the path of the element, not of the list. */
function pathsOf(patches: readonly Patch[]): readonly string[] {
  return [...new Set(patches.map(({ path }) => path.join('/')))];
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
