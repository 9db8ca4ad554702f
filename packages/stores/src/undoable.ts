import { AgentSessionError, type Tool, type ToolContext } from '@banister/session';
import type { StoreAdapter } from './adapter.js';
import { isDevelopment } from './development.js';
import type { Patch } from './patch.js';
import { PatchUndo } from './patch-undo.js';
import type { ShownChanges } from './shown-changes.js';
import { WatchedStore } from './watched-store.js';
import { WrappedCall } from './wrapped-call.js';

/** The settings of {@link undoable}. */
export interface UndoableOptions<Root extends string = string> {
  /**
   * The fields of the state that are watched. A change of another one is none of a call, and is neither taken back nor reported. Default: all
   * fields; a store that changes its objects in place needs a list.
   */
  readonly roots?: readonly Root[] | undefined;
  /**
   * The field by which the elements of lists are known. Its value is a text or a number, different for each element of a list. A list with
   * an element that has none is one value. Default `id`.
   */
  readonly key?: string | undefined;
  /**
   * Whether each call looks at the whole state for objects that were changed in place, in a store that replaces what changes, and warnings
   * are written to the console, as about a root that is no field of the state. Default: in development, which is where `process.env.NODE_ENV` is not `production`.
   */
  readonly development?: boolean | undefined;
  /**
   * Returns what receipts and reviews show for the changes of a call, a description in words of the app and the values before and after, and the
   * `paths` by which turns are in the way of each other. Default, and for each member that is left out: the title of the tool, or a description of
   * the paths, `Changed cards/42/title`, where it has none; the values of the change, or of several by their paths; the paths of the changes.
   *
   * @example
   * const describe = ([change]: readonly Patch[]) => ({ description: `Renamed “${change?.before}”` });
   */
  readonly describe?: ((changes: readonly Patch[]) => ShownChanges) | undefined;
}

/** A store whose changes by tools can be taken back. See {@link undoable}. */
export interface Undoable {
  /**
   * Returns the tool with a way back: what its calls change in the store is recorded as data, and is taken back by an undo, a cancel or a
   * failure, and made again by a redo, also after a reload.
   *
   * The changes of a call are those that are made while `execute` runs, up to its first `await`, and those in `context.change(() => …)`
   * behind it. All others are the user's, and nothing takes them back.
   *
   * @throws AgentSessionError `invalid-configuration` for a tool that is wrapped already: where it changes two stores, one adapter has both
   * @example
   * const rename = board.wrap(
   *   defineTool({
   *     name: 'rename',
   *     description: 'Renames a card.',
   *     parameters: {
   *       type: 'object',
   *       properties: { id: { type: 'string' }, title: { type: 'string' } },
   *       required: ['id', 'title'],
   *     },
   *     execute: ({ id, title }) => useBoard.getState().rename(id, title),
   *   }),
   * );
   */
  wrap<T extends Tool>(tool: T): T;
  /** Returns a revision of the watched fields, for `revision` of a domain. A store that changes its objects in place is hashed for it. */
  revision(): string;
  /**
   * Calls back after each change that is none of a tool, nor of an undo, for `subscribe` of a domain.
   *
   * @returns the function that ends it
   */
  subscribe(changed: () => void): () => void;
}

/**
 * Makes a store of the app undoable: tools that it wraps need no line of undo.
 *
 * @param adapter of the store: `zustandStore(store)`, `reduxStore(store)`, `signalStore(signals)`, `svelteStore(store)`, `immerValue(get, set)`,
 *   `piniaStore(store)`, `runesState(state)`, each an entry of its own
 * @throws AgentSessionError `invalid-configuration` where a store that changes its objects in place has no `roots`
 * @example
 * const board = undoable(zustandStore(useBoard), { roots: ['cards'] });
 * const domain = defineDomain({ id: 'board', tools: [board.wrap(rename)], revision: board.revision });
 */
export function undoable<Root extends string>(
  adapter: StoreAdapter<Root>,
  // Not inferred from `roots`: the names are those of the adapter.
  options: UndoableOptions<NoInfer<Root>> = {},
): Undoable {
  const { roots, key = 'id', development = isDevelopment(), describe } = options;
  if (adapter.copy && roots === undefined)
    throw new AgentSessionError(
      'invalid-configuration',
      'A store that changes its objects in place needs roots: fields to copy.',
    );
  const store = new WatchedStore(adapter, { roots, key, findsMutations: development });
  const warn = development ? (message: string) => console.warn(`@banister/stores: ${message}`) : () => {};
  const told = new Set<string>();
  const warnOnce = (message: string) => {
    if (!told.has(message)) warn(message);
    told.add(message);
  };
  let unchecked = (development && roots) || [];
  return {
    wrap: (tool) => {
      if (tool.undo instanceof PatchUndo)
        throw new AgentSessionError(
          'invalid-configuration',
          `The tool ${tool.name} is wrapped already, for one store.`,
        );
      const undo = new PatchUndo(store, tool.undo);
      const execute = (args: Parameters<typeof tool.execute>[0], context: ToolContext) => {
        for (const root of unchecked)
          if (!(root in Object(adapter.read()))) warn(`roots: ${root} is no field of the state.`);
        unchecked = [];
        const { name, title } = tool;
        return new WrappedCall(store, { tool: name, title, context, describe, warn, warnOnce }).run((own) =>
          tool.execute(args, own),
        );
      };
      return { ...tool, undo, execute };
    },
    revision: () => store.revision(),
    subscribe: (changed) => store.subscribe(changed),
  };
}
