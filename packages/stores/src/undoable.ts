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
   * The watched fields of the state. Changes of other fields are neither undone nor reported. Default: all fields; a store that changes its
   * objects in place needs a list.
   */
  readonly roots?: readonly Root[] | undefined;
  /**
   * The field that identifies the elements of lists. Its value is a string or a number, unique in its list. If an element has no such
   * value, the whole list is treated as one value. Default `id`.
   */
  readonly key?: string | undefined;
  /**
   * Whether to check for mistakes. If the store replaces what changes, each call searches the whole state for objects that were changed in
   * place. Warnings go to the console, for example if a root is not a field of the state. Default: whether the app runs in development
   * (`process.env.NODE_ENV` is not `production`).
   */
  readonly development?: boolean | undefined;
  /**
   * Returns what receipts and reviews show for the changes of a call: a description in the app's words, the values before and after, and the
   * `paths` by which turns are in the way of each other. Default of each member: `description` is the title of the tool, or if it has no
   * title the changed paths, `Changed cards/42/title`; the values are the value of the change, or the values of several changes by path;
   * `paths` are the paths of the changes.
   *
   * @example
   * const describe = ([change]: readonly Patch[]) => ({ description: `Renamed “${change?.before}”` });
   */
  readonly describe?: ((changes: readonly Patch[]) => ShownChanges) | undefined;
}

/** A store whose changes by tools can be undone. See {@link undoable}. */
export interface Undoable {
  /**
   * Returns the tool with an undo. What its calls change in the store is recorded as data. An undo, a cancel or a failure takes the changes
   * back; a redo makes them again, also after a reload.
   *
   * The changes of a call are the changes made while `execute` runs, up to its first `await`, and later changes inside
   * `context.change(() => …)`. All other changes are the user's, and are never taken back.
   *
   * @throws AgentSessionError `invalid-configuration` if the tool is already wrapped. For a tool that changes two stores, use one adapter for both
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
  /** Returns a revision of the watched fields, for `revision` of a domain. If the store changes objects in place, the revision is a hash. */
  revision(): string;
  /**
   * Calls `changed` after every change not made by a tool, an undo or a redo, for `subscribe` of a domain.
   *
   * @returns a function that unsubscribes
   */
  subscribe(changed: () => void): () => void;
}

/**
 * Makes a store of the app undoable. The tools that it wraps need no code for undo.
 *
 * @param adapter of the store: `zustandStore(store)`, `reduxStore(store)`, `signalStore(signals)`, `svelteStore(store)`, `immerValue(get, set)`,
 *   `piniaStore(store)`, `runesState(state)`; each has its own entry
 * @throws AgentSessionError `invalid-configuration` if a store that changes its objects in place has no `roots`
 * @example
 * const board = undoable(zustandStore(useBoard), { roots: ['cards'] });
 * const domain = defineDomain({ id: 'board', tools: [board.wrap(rename)], revision: board.revision });
 */
export function undoable<Root extends string>(
  adapter: StoreAdapter<Root>,
  // `NoInfer`: the names come from the adapter, not from `roots`.
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
