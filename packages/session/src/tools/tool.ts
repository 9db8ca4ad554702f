import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { AgentSessionError } from '../errors/agent-session-error.js';
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

/** The ways to take back an effect of a tool, and to make it again. */
export interface ToolUndo {
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

/** Checks the argument of `context.undo`. Throws `invalid-configuration`, in the executor that called it. */
export function checkUndo(entry: unknown): void {
  const { description, revert, reapply } = (entry ?? {}) as Partial<ToolUndo>;
  const problem =
    typeof description !== 'string'
      ? 'a text as its description'
      : typeof revert !== 'function'
        ? 'a function revert'
        : reapply !== undefined && typeof reapply !== 'function'
          ? 'a function as its reapply, or none'
          : null;
  if (problem !== null)
    throw new AgentSessionError('invalid-configuration', `context.undo needs ${problem}.`);
}

/** The second argument of an executor. */
export interface ToolContext {
  /** Fires when the call is cut: by an abort or a timeout. A plain `cancel()` lets a running tool finish. */
  readonly signal: AbortSignal;
  /** The session's id of the call. */
  readonly callId: string;
  /** A key for servers: with the same key, a server that gets a request twice acts once. Unique for each call. */
  readonly idempotencyKey: string;
  /** The domain's revision that the model read. Return `conflict(…)` where the state has another one now. */
  readonly revision: Revision;
  /** Reports progress for views. Objects are merged field by field, any other value replaces the one before. */
  progress(patch: JsonValue): void;
  /** Records how to take an effect back. May be called several times; the effects are taken back in reverse order. */
  undo(entry: ToolUndo): void;
  /** Records an effect that cannot be taken back, in words for the user. */
  irreversible(description: string): void;
}

/**
 * A function of the app that the model can call. `Args` follows from the schema; it is a parameter of its own so that tools with
 * any schema are assignable to `Tool`.
 */
export interface Tool<S extends ToolSchema = ToolSchema, Result = unknown, Args = Arguments<S>> {
  /** Without its domain: `add_card`. Letters, digits, `_` and `-`. */
  readonly name: string;
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
   * Whether the calls of the tool are independent of the other calls of an answer. They run side by side with each other and with
   * `readOnly` ones, in no certain order, up to the limit `maxConcurrentTools`; also when they change something. Default false.
   */
  readonly parallel?: boolean | undefined;
  /**
   * Whether a call may run again when it is not known whether it has acted, since the page was closed meanwhile. `never`: it is
   * answered as interrupted. `ask`: the user decides. `safe`: it runs again, with the same `idempotencyKey`; with a journal, it also starts
   * without waiting for its record. Default `never`; calls of `readOnly` tools are always `safe`.
   */
  readonly replay?: 'never' | 'ask' | 'safe' | undefined;
  // A method, not a function property: its parameters are bivariant, so that tools with any schema fit one list.
  /**
   * Does the work. Returns nothing, a value, or an outcome such as `failed(…)`. The value is copied as JSON: fields that are
   * `undefined` are left out and `toJSON` is called, as by `JSON.stringify`. A value that JSON cannot hold (`undefined` in a list,
   * a BigInt, a cycle, an instance of a class) becomes an error result that names the field. An error that it throws becomes a
   * result `thrown` with the message.
   */
  execute(args: Args, context: ToolContext): Result | Promise<Result>;
}

/**
 * Returns the tool with inferred types: those of the arguments follow from the schema, and {@link callOf} returns calls with them.
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
export function defineTool<const S extends ToolSchema, Result>(tool: Tool<S, Result>): Tool<S, Result> {
  return tool;
}
