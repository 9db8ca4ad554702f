import type { Input, JsonValue } from '@banister/provider';
import type { AgentRef } from '../conversation/agent-ref.js';
import type { RunOptions, RunResult } from './run.js';
import type { ToolOutcome } from './tool-outcome.js';
import type { Arguments, ToolSchema } from './tool-schema.js';

export type { Arguments, LibrarySchema, ToolSchema, WrittenArguments } from './tool-schema.js';

/**
 * The kind of effect that a tool has. Calls of `readOnly` tools run at the same time and record no effect. A tool that declares no
 * capability is `mutating`. Guards decide by these declarations; the session does not enforce them.
 */
export type Capability = 'readOnly' | 'mutating' | 'networking' | 'paid' | 'destructive';

/** The version of a domain's state, for optimistic concurrency; undefined if the domain has none. */
export type Revision = string | number | undefined;

/** The parts of a domain that an effect touches. */
export interface EffectPaths {
  /**
   * Names of what the effect changed, unique in the domain, such as `cards/42/title`: each segment is a part of the previous segment. An
   * earlier turn can be undone alone as long as no later turn in force touched the same path, a path below it, or a path above it. Default:
   * the effect may have touched the whole domain.
   */
  readonly paths?: readonly string[] | undefined;
}

/** The changed value before and after an effect, for views that show the effect to the user. */
export interface EffectValues {
  /**
   * The value before the effect, as JSON or as a string, for a review. It is left out if it is longer than 10,000 characters as JSON, or if
   * JSON cannot hold it. Default: only the description is shown.
   */
  readonly before?: unknown;
  /** The value after the effect, in the same form as `before`. */
  readonly after?: unknown;
}

/** How to take back an effect of a tool, and how to make it again. */
export interface ToolUndo extends EffectPaths, EffectValues {
  /** The effect as a sentence for the user: `Added the card "Plan"`. */
  readonly description: string;
  /**
   * Takes the effect back. Return `conflict(…)`, or throw, if that would overwrite a later edit of the user. Then the effect is reported as
   * failed.
   *
   * @param expected the domain's revision after this session's last change
   */
  revert(expected: Revision): void | ToolOutcome | Promise<void | ToolOutcome>;
  /** Makes the effect again, with `expected` as for `revert`. A turn can be redone only if each of its effects has a `reapply`. */
  readonly reapply?: ((expected: Revision) => void | ToolOutcome | Promise<void | ToolOutcome>) | undefined;
}

/** An effect as data. The `undo` of its tool takes it back with this data, in this session, or in another session that opens the log. */
export interface EffectData<Data = unknown> extends EffectPaths, EffectValues {
  /** The effect as a sentence for the user: `Added the card "Plan"`. */
  readonly description: string;
  /** The argument of {@link RevertByData}. It is copied as JSON, like the result of a tool. */
  readonly data: Data;
}

/**
 * How a tool takes its effects back by their data, and makes them again. The session that recorded the effects uses it too, not only a
 * later session.
 */
export interface RevertByData<Data = unknown> {
  /**
   * Takes an effect back. Return `conflict(…)`, or throw, if that would overwrite a later edit of the user. Then the effect is reported as
   * failed.
   *
   * It must do no harm if the effect is not in place. A tool may record data before it acts, and then fail, or the page may be closed.
   * Also, an interrupted revert runs again after a reload.
   *
   * @param data the data that the tool passed to `context.undo`
   */
  revert(data: Data, context: RevertContext): void | ToolOutcome | Promise<void | ToolOutcome>;
  /** Makes the effect again. A turn can be redone only if each of its effects has a `reapply`. */
  readonly reapply?: RevertByData<Data>['revert'] | undefined;
  /**
   * The schema of the data, with an object as its root. The data comes from a log or from a saved conversation, where it may have been
   * changed. It is checked each time before `revert` and `reapply`. An effect whose data does not fit stays as it is and is reported as
   * failed. Default: the data is not checked.
   */
  readonly data?: ToolSchema | undefined;
  /**
   * Returns the description of the effect, a sentence for the user, from its data. A session that opens a log or a saved conversation shows
   * it instead of the stored description. If it throws, the effect is `lost`. Default: the stored description.
   */
  readonly describe?: { of(data: Data): string }['of'] | undefined;
  /**
   * Whether both functions compare what they are about to change with the user's edits, and keep these edits. If every effect of a turn is
   * from such a tool, `undo()` and `redo()` of the turn begin whatever the revision of the domain is. Default false.
   */
  readonly keepsEdits?: boolean | undefined;
}

/** The second argument of the functions of {@link RevertByData}. */
export interface RevertContext {
  /** Fires if the function takes longer than the limit `revertTimeoutMs`. */
  readonly signal: AbortSignal;
  /** The domain's revision after this session's last change. */
  readonly revision: Revision;
  /** The session's id of the call that had the effect. */
  readonly callId: string;
  /**
   * A key for servers: a server that receives the same key twice acts once. Each time that an effect is taken back or made again has its
   * own key. A repeated attempt, also after a reload, has the same key.
   */
  readonly idempotencyKey: string;
  /**
   * Replaces the data of the effect, for the next attempt and for a later redo, also after a reload. If the effect was taken back only in
   * part, the new data can say which part is left. It takes effect when the function has ended, whatever its outcome.
   */
  replaceData(data: unknown): void;
}

/** The second argument of a preview. */
export interface PreviewContext {
  /** Fires when the preview is not needed any more: its time is up, or the question has ended. */
  readonly signal: AbortSignal;
}

/** The second argument of {@link Tool.recover}. */
export interface RecoverContext {
  /** The session's id of the call. */
  readonly callId: string;
  /** The key that the executor of the call received: {@link ToolContext.idempotencyKey}. */
  readonly idempotencyKey: string;
  /** Fires when the answer is not needed any more: its time is up, or the turn was cancelled. */
  readonly signal: AbortSignal;
}

/**
 * What a tool knows about an interrupted call. `ran`: it did its work, and this is the result that its executor could not return. `undo`
 * has its effects, in case the log has none of them. `not-run`: it did nothing. `unknown`: the tool cannot tell.
 */
export type Recovered =
  | {
      readonly ran: unknown;
      readonly undo?: EffectData | ToolUndo | readonly (EffectData | ToolUndo)[] | undefined;
    }
  | 'not-run'
  | 'unknown';

/**
 * The second argument of an executor. `Progress` is the type of a report of progress; fields that only some reports have are optional.
 * {@link callOf} passes the type on to views.
 */
export interface ToolContext<Progress = JsonValue, Data = unknown> {
  /**
   * Fires when the call is aborted: by an abort or a timeout, and also by a plain `cancel()` if the tool is `readOnly` or `abortable` and no
   * agent works in the call.
   */
  readonly signal: AbortSignal;
  /**
   * Fires when the turn is cancelled, even by a plain `cancel()`, which lets tools finish that are neither `readOnly` nor `abortable`. Such
   * a tool may end its work early, at a point where what it did is complete.
   */
  readonly cancelled: AbortSignal;
  /** The session's id of the call. */
  readonly callId: string;
  /**
   * A key for servers: a server that receives the same key twice acts once. It is unique for each call, and the same if the call runs again
   * after a reload.
   */
  readonly idempotencyKey: string;
  /** The domain's revision that the model has read. Return `conflict(…)` if the state has another revision now. */
  readonly revision: Revision;
  /** Reports progress for views. Objects are merged field by field; any other value replaces the previous value. */
  progress(patch: Progress): void;
  /** Records how to take an effect back. It may be called several times; the effects are taken back in reverse order. */
  undo(entry: ToolUndo): void;
  /**
   * Records the data with which the tool's `undo` takes an effect back. Then the effect can be taken back after a reload too.
   *
   * @returns a promise that resolves when the record is stored. If a tool awaits it before it acts, every effect has a record. The promise
   *   rejects if the call is aborted first, and if the record cannot be stored
   */
  undo(entry: EffectData<Data>): Promise<void>;
  /** Records an effect that cannot be taken back, with a description for the user. */
  irreversible(description: string, options?: EffectPaths): void;
  /**
   * Calls a function that changes something, and returns its result. In a tool that `@banister/stores` wraps, the changes of the function
   * belong to the call, even after an `await`. In any other tool it only calls the function.
   */
  change<T>(mutate: () => T): T;
  /**
   * Reports places that changed while the call ran, if the tool cannot tell whether it changed them. The call's record lists them, and they
   * are never taken back. `@banister/stores` calls it.
   */
  unattributed(paths: readonly string[]): void;
  /** The agent in whose child turn the call runs; absent for a call of the session's own model. */
  readonly agent?: AgentRef | undefined;
  /**
   * Runs a turn of an agent inside this call, by the id of the agent. Several runs may work at the same time. The call ends after its child
   * turns.
   *
   * @returns a promise that resolves when the child turn has ended: a child turn that fails, is stopped by a limit, or is cancelled, is a
   *   result. The promise rejects `cancelled` if this call is aborted, or if the turn was cancelled or `signal` fired before the run began.
   *   The promise rejects `invalid-configuration` for an unknown agent, and `unsupported` for the option `output` if the model cannot
   *   produce structured output
   */
  run<const S extends ToolSchema = never>(
    agent: string,
    input: Input,
    options?: RunOptions<S>,
  ): Promise<RunResult<S>>;
}

/**
 * A function of the app that the model can call. `Args` is inferred from the schema. It is a separate type parameter, so that tools with
 * any schema are assignable to `Tool`.
 */
export interface Tool<
  S extends ToolSchema = ToolSchema,
  Result = unknown,
  Args = Arguments<S>,
  Data = unknown,
  Progress = unknown,
> {
  /** The name without the domain: `add_card`. Letters, digits, `_` and `-`. */
  readonly name: string;
  /**
   * The name of the tool for the user: `'Publish the board'`. It is shown for its calls, for the questions about them, and for effects that
   * the tool does not describe. The log stores it, so that a view without the tools shows it too. The model reads it only in a note about
   * such an effect. Default: none; views show the id.
   */
  readonly title?: string | undefined;
  /** The description that the model reads. */
  readonly description: string;
  /** The schema of the parameters, with an object as its root. */
  readonly parameters: S;
  /** Default `['mutating']`. */
  readonly capabilities?: readonly Capability[] | undefined;
  /** The longest run in milliseconds. Default: the limit `toolTimeoutMs`, 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Whether the effect can never be taken back. Confirmations show this to the user. Default false. */
  readonly irreversible?: boolean | undefined;
  /**
   * Whether a plain `cancel()` aborts a running call: `context.signal` fires, and the turn ends without the call. If the call has an effect
   * nevertheless, the effect is taken back when the tool returns. Default false: the turn waits for the tool. Calls of `readOnly` tools are
   * aborted, unless an agent works in them.
   */
  readonly abortable?: boolean | undefined;
  /**
   * Whether the calls of the tool are independent of the other calls of an answer. They run at the same time as each other and as
   * `readOnly` calls, in no certain order, up to the limit `maxConcurrentTools`, even if they change something. Default false.
   */
  readonly parallel?: boolean | undefined;
  /**
   * Returns the names of what a call reads or changes, unique in the domain: `['card 7']`. Calls without a common name run at the same
   * time, as with `parallel`; any other call waits until the earlier calls have ended. A call runs alone if the list is empty, or if the
   * function throws. A call that is not `readOnly` also runs alone if its domain has a `revision()`, unless its tool has `undo.keepsEdits`,
   * as the tools do that `undoable` of `@banister/stores` wraps. Default: the call runs alone.
   */
  readonly resources?: { of(args: Args): readonly string[] }['of'] | undefined;
  /**
   * Whether a call may run again if it is unknown whether it has acted, because the page was closed meanwhile. `never`: it is answered as
   * interrupted. `ask`: the user decides. `safe`: it runs again, with the same `idempotencyKey`. Default `never`; calls of `readOnly` tools
   * are always `safe`.
   */
  readonly replay?: 'never' | 'ask' | 'safe' | undefined;
  /**
   * Finds out whether an interrupted call ran, if the page was closed meanwhile: by its key, or by reading what it changes. Called when the
   * turn is resumed, before `replay` decides; not called for `safe`, because such a call runs again anyway. A call that ran is settled with
   * its result. A call that did not run is run now, after the guards have decided about it again. For `unknown`, and if the function throws
   * or takes longer than the tool may run, `replay` decides. It must change nothing. Default: `replay` decides.
   *
   * @example
   * recover: async (args, { idempotencyKey, signal }) => {
   *   const order = await shop.orderByKey(idempotencyKey, { signal });
   *   return order === null ? 'not-run' : { ran: { id: order.id } };
   * },
   */
  readonly recover?:
    { for(args: Args, context: RecoverContext): Recovered | Promise<Recovered> }['for'] | undefined;
  /**
   * Returns the change that a call is going to make, for the question about the call: a string, an object with `before` and `after`, or
   * other JSON, of up to 10,000 characters. Called when the user is asked, when the domain changes meanwhile, and before the call starts if
   * something may have changed since. Never called for a call that runs without a question. It must change nothing. If it throws, takes
   * longer than 3 seconds, or returns anything else, the preview has failed, and the question says so.
   *
   * @example
   * preview: ({ id, title }) => ({ before: board.find(id)?.title, after: title }),
   */
  readonly preview?: { for(args: Args, context: PreviewContext): unknown }['for'] | undefined;
  /** How the effects that the tool records as data are taken back. */
  readonly undo?: RevertByData<Data> | undefined;
  // A method and not a function property: the parameters of methods are bivariant, so that tools with any schema fit into one list.
  /**
   * Does the work. Returns undefined, a value, or an outcome such as `failed(…)`. The value is copied as JSON: fields that are `undefined`
   * are left out and `toJSON` is called, as in `JSON.stringify`. A value that JSON cannot hold (`undefined` in a list, a BigInt, a cycle,
   * an instance of a class) becomes an error result that names the field. If it throws, the result is `thrown` with the message of the
   * error.
   */
  execute(args: Args, context: ToolContext<Progress, Data>): Result | Promise<Result>;
}

/**
 * Returns the tool with inferred types. The type of the arguments follows from the schema. The type of its progress follows from the second
 * parameter of `execute`, as in `context: ToolContext<{ saved: number }>`. {@link callOf} returns calls with these types. `defineDomain`
 * checks the tool.
 *
 * @example
 * const addCard = defineTool({
 *   name: 'add_card',
 *   description: 'Adds a card to a column.',
 *   parameters: {
 *     type: 'object',
 *     properties: { column: { type: 'string' }, title: { type: 'string' } },
 *     required: ['column', 'title'],
 *   },
 *   execute({ column, title }, context) {
 *     const card = board.add(column, title);
 *     context.undo({ description: `Added "${title}"`, revert: () => board.remove(card.id) });
 *     return { id: card.id };
 *   },
 * });
 */
export function defineTool<const S extends ToolSchema, Result, Data = JsonValue, Progress = JsonValue>(
  tool: Tool<S, Result, Arguments<S>, Data, Progress>,
): Tool<S, Result, Arguments<S>, Data, Progress> {
  return tool;
}
