import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { ToolOutcome } from './tool-outcome.js';

/**
 * The kind of effect that a tool has. Calls of `readOnly` tools run side by side and record no effect; a tool that declares no
 * capability is `mutating`. Guards decide by these declarations; the session does not enforce them.
 */
export type Capability = 'readOnly' | 'mutating' | 'networking' | 'paid' | 'destructive';

/** Version of a domain's state, for optimistic concurrency; undefined where the domain has none. */
export type Revision = string | number | undefined;

/** A schema of a library that implements Standard Schema and Standard JSON Schema. */
export type LibrarySchema = StandardSchemaV1 & StandardJSONSchemaV1;

/**
 * Parameters of a tool: a JSON Schema, or a schema of a library. The types of the arguments are inferred from a literal JSON
 * Schema; with any other one, for example from a file or from a server of tools, the arguments are a `JsonObject`.
 */
export type ToolSchema = JSONSchema | LibrarySchema | { readonly [keyword: string]: unknown };

/** The type of the arguments that an executor gets: with a schema of a library, after its transformations. */
export type Arguments<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : Described<S>;

/** The type of the arguments that the model writes, and that state and messages hold: JSON, not transformed. */
export type WrittenArguments<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferInput<S> : Described<S>;

/** The type that a JSON Schema describes. `string extends keyof S` is true for a schema that is not a literal. */
type Described<S> = string extends keyof S ? JsonObject : S extends JSONSchema ? FromSchema<S> : JsonObject;

/** The parts of a domain that an effect touches. */
export interface EffectPaths {
  /**
   * Names of what the effect changed, unique in the domain, such as `cards/42/title`: each segment is a part of the one before it. An earlier
   * turn can be undone alone as long as no later one in force touched the same path, a part of it, or a whole that it belongs to. Default: the
   * effect may have touched the whole domain.
   */
  readonly paths?: readonly string[] | undefined;
}

/** An effect as a view shows it to the user: the changed value before and after. */
export interface EffectValues {
  /**
   * The value before the effect, as JSON or as a text: a review shows it. Left out where it is longer than 10,000 characters as JSON, and where
   * JSON cannot hold it. Default: the description alone is shown.
   */
  readonly before?: unknown;
  /** The value after the effect, as `before`. */
  readonly after?: unknown;
}

/** The ways to take back an effect of a tool, and to make it again. */
export interface ToolUndo extends EffectPaths, EffectValues {
  /** The effect, in words for the user: `Added the card "Plan"`. */
  readonly description: string;
  /**
   * Takes the effect back. Return `conflict(…)`, or throw, where that would overwrite a later edit of the user; the effect is
   * reported as failed then.
   *
   * @param expected the domain's revision as this session last left it
   */
  revert(expected: Revision): void | ToolOutcome | Promise<void | ToolOutcome>;
  /** Makes the effect again, with `expected` as for `revert`. A turn can be redone only if each of its effects has one. */
  readonly reapply?: ((expected: Revision) => void | ToolOutcome | Promise<void | ToolOutcome>) | undefined;
}

/** An effect as data, with which the `undo` of its tool takes it back: in this session, or in another one that opens the log. */
export interface EffectData<Data = unknown> extends EffectPaths, EffectValues {
  /** The effect, in words for the user: `Added the card "Plan"`. */
  readonly description: string;
  /** The argument of {@link RevertByData}. It is copied as JSON, like the result of a tool. */
  readonly data: Data;
}

/** The way of a tool to take its effects back by their data, and to make them again. The session calls it in the live session too. */
export interface RevertByData<Data = unknown> {
  /**
   * Takes an effect back. Return `conflict(…)`, or throw, where that would overwrite a later edit of the user; the effect is
   * reported as failed then.
   *
   * It must do no harm where the effect is not in place: data that a tool recorded before it acted is used also when the tool then
   * failed or the page was left, and after a reload a revert that was cut runs again.
   *
   * @param data the data that the tool gave `context.undo`
   */
  revert(data: Data, context: RevertContext): void | ToolOutcome | Promise<void | ToolOutcome>;
  /** Makes the effect again. A turn can be redone only if each of its effects has such a function. */
  readonly reapply?: RevertByData<Data>['revert'] | undefined;
  /**
   * Schema of the data, of an object. They come from a log or from a saved conversation, which may be changed there: each time before `revert` and
   * `reapply` they are checked, and an effect whose data do not fit stays as it is and is reported as failed. Default: they are not checked.
   */
  readonly data?: ToolSchema | undefined;
  /**
   * Returns the effect in words for the user, made of its data. A session that opens a log or a saved conversation shows these words in place of
   * those that are stored there. An effect for which it throws is `lost`. Default: the stored words.
   */
  readonly describe?: { of(data: Data): string }['of'] | undefined;
  /**
   * Whether both functions compare what they are about to change with the user's edits, and leave those as they are. `undo()` and `redo()`
   * then begin whatever the revision of the domain is, where every effect of the turn is of such a tool. Default false.
   */
  readonly keepsEdits?: boolean | undefined;
}

/** The second argument of the functions of {@link RevertByData}. */
export interface RevertContext {
  /** Fires when the function takes longer than the limit `revertTimeoutMs`. */
  readonly signal: AbortSignal;
  /** The domain's revision as this session last left it. */
  readonly revision: Revision;
  /** The session's id of the call that had the effect. */
  readonly callId: string;
  /**
   * A key for servers: with the same key, a server that gets a request twice acts once. Each effect has one for each time that it is
   * taken back or made again; another attempt, also after a reload, has the same.
   */
  readonly idempotencyKey: string;
  /**
   * Replaces the data of the effect, for the next attempt and for a later redo, also after a reload: an effect that was taken back in part says
   * here which part is left. It counts when the function has ended, whatever its outcome.
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
  /** The key that the executor of the call had: {@link ToolContext.idempotencyKey}. */
  readonly idempotencyKey: string;
  /** Fires when the answer is not needed any more: its time is up, or the turn was cancelled. */
  readonly signal: AbortSignal;
}

/**
 * What a tool knows of a call that was cut. `ran`: it did its work, and this is the result that its executor did not return any more; `undo` has its
 * effects, for a log that has none of the call. `not-run`: it did nothing. `unknown`: it cannot tell.
 */
export type Recovered =
  | {
      readonly ran: unknown;
      readonly undo?: EffectData | ToolUndo | readonly (EffectData | ToolUndo)[] | undefined;
    }
  | 'not-run'
  | 'unknown';

/**
 * The second argument of an executor. `Progress` is the type of one report of progress, with optional fields where a report has some of them:
 * {@link callOf} gives it to views.
 */
export interface ToolContext<Progress = JsonValue, Data = unknown> {
  /** Fires when the call is cut: by an abort or a timeout, and by a plain `cancel()` where the tool is `readOnly` or `abortable`. */
  readonly signal: AbortSignal;
  /**
   * Fires when the turn is cancelled, also by a plain `cancel()`, which lets other tools than `readOnly` and `abortable` ones finish. Such a
   * tool may end its work early here, at a point where what it did is whole.
   */
  readonly cancelled: AbortSignal;
  /** The session's id of the call. */
  readonly callId: string;
  /**
   * A key for servers: with the same key, a server that gets a request twice acts once. Unique for each call, and the same when the
   * call runs again after a reload.
   */
  readonly idempotencyKey: string;
  /** The domain's revision that the model read. Return `conflict(…)` where the state has another one now. */
  readonly revision: Revision;
  /** Reports progress for views. Objects are merged field by field, any other value replaces the one before. */
  progress(patch: Progress): void;
  /** Records how to take an effect back. May be called several times; the effects are taken back in reverse order. */
  undo(entry: ToolUndo): void;
  /**
   * Records the data with which the tool's `undo` takes an effect back. It can be taken back after a reload too.
   *
   * @returns a promise that resolves when the record is stored. A tool that awaits it before it acts has no effect without a record. It
   *   rejects when the call is cut first, and when the record cannot be stored
   */
  undo(entry: EffectData<Data>): Promise<void>;
  /** Records an effect that cannot be taken back, in words for the user. */
  irreversible(description: string, options?: EffectPaths): void;
  /**
   * Calls a function that changes something, and returns its result. In a tool that `@banister/stores` wraps, its changes belong to the call,
   * also behind an `await`; in any other tool it is no more than the call of the function.
   */
  change<T>(mutate: () => T): T;
  /**
   * Reports places that changed while the call ran, and of which the tool cannot tell whether it changed them. The call's record lists
   * them, and nothing takes them back. `@banister/stores` calls it.
   */
  unattributed(paths: readonly string[]): void;
}

/**
 * A function of the app that the model can call. `Args` follows from the schema; it is a parameter of its own so that tools with
 * any schema are assignable to `Tool`.
 */
export interface Tool<
  S extends ToolSchema = ToolSchema,
  Result = unknown,
  Args = Arguments<S>,
  Data = unknown,
  Progress = unknown,
> {
  /** Without its domain: `add_card`. Letters, digits, `_` and `-`. */
  readonly name: string;
  /**
   * The tool in words for the user: `'Publish the board'`. Its calls, the questions about them, and effects that the tool does not describe have it.
   * The log keeps it, so that a view without the tools shows it too. The model does not read it, but in a note about such an
   * effect. Default: none; views show the id.
   */
  readonly title?: string | undefined;
  /** The description that the model reads. */
  readonly description: string;
  /** Schema of an object. */
  readonly parameters: S;
  /** Default `['mutating']`. */
  readonly capabilities?: readonly Capability[] | undefined;
  /** Longest run in milliseconds. Default: the limit `toolTimeoutMs`, 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Whether the effect can never be taken back; confirmations show it to the user. Default false. */
  readonly irreversible?: boolean | undefined;
  /**
   * Whether a plain `cancel()` cuts a running call: `context.signal` fires, and the turn ends without it. An effect that the call has all the
   * same is taken back when the tool returns. Default false: the turn waits for the tool. Calls of `readOnly` tools are always cut.
   */
  readonly abortable?: boolean | undefined;
  /**
   * Whether the calls of the tool are independent of the other calls of an answer. They run side by side with each other and with
   * `readOnly` ones, in no certain order, up to the limit `maxConcurrentTools`; also when they change something. Default false.
   */
  readonly parallel?: boolean | undefined;
  /**
   * Returns the names of what a call reads or changes, unique in the domain: `['card 7']`. Calls whose names are all different run side by
   * side, as with `parallel`; any other call waits until those before it have ended. A call runs alone where the list is empty and where
   * the function throws, and a call that is not `readOnly` also where its domain has a `revision()`, unless its tool has
   * `undo.keepsEdits`, as those that `undoable` of `@banister/stores` wraps. Default: the call runs alone.
   */
  readonly resources?: { of(args: Args): readonly string[] }['of'] | undefined;
  /**
   * Whether a call may run again when it is not known whether it has acted, since the page was closed meanwhile. `never`: it is
   * answered as interrupted. `ask`: the user decides. `safe`: it runs again, with the same `idempotencyKey`. Default `never`; calls of `readOnly` tools are always `safe`.
   */
  readonly replay?: 'never' | 'ask' | 'safe' | undefined;
  /**
   * Finds out whether a call ran that was cut, since the page was closed meanwhile: by its key, or by a look at what it changes. Called when the turn is
   * resumed, before `replay` counts; not for `safe`, which runs again anyway. A call that ran is done, with its result; one that did not run runs now, behind today's guards;
   * for `unknown`, and where the function throws or takes longer than the tool may run, `replay` decides. It must change nothing. Default: `replay` decides.
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
   * Returns the change that a call is going to make, for the question about it: a text, an object with `before` and `after`, or other JSON, of up to
   * 10,000 characters. Called when the user is asked, when the domain changes meanwhile, and before the call starts where something else may have
   * changed it since; never for a call that runs without a question. It must change nothing. One that throws, takes longer than 3 seconds or returns
   * anything else has failed: the question says so.
   *
   * @example
   * preview: ({ id, title }) => ({ before: board.find(id)?.title, after: title }),
   */
  readonly preview?: { for(args: Args, context: PreviewContext): unknown }['for'] | undefined;
  /** The way to take back the effects that the tool records as data. */
  readonly undo?: RevertByData<Data> | undefined;
  // A method, not a function property: its parameters are bivariant, so that tools with any schema fit one list.
  /**
   * Does the work. Returns nothing, a value, or an outcome such as `failed(…)`. The value is copied as JSON: fields that are
   * `undefined` are left out and `toJSON` is called, as by `JSON.stringify`. A value that JSON cannot hold (`undefined` in a list,
   * a BigInt, a cycle, an instance of a class) becomes an error result that names the field. An error that it throws becomes a
   * result `thrown` with the message.
   */
  execute(args: Args, context: ToolContext<Progress, Data>): Result | Promise<Result>;
}

/**
 * Returns the tool with inferred types: those of the arguments follow from the schema, that of its progress from the type of the second
 * parameter of `execute`, as in `context: ToolContext<{ saved: number }>`, and {@link callOf} returns calls with them.
 * `defineDomain` checks the tool.
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
