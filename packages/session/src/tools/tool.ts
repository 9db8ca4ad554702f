import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { ToolOutcome } from './tool-outcome.js';

/**
 * What a tool does to the world. `readOnly` tools run side by side and record no undo entry; none declared means
 * `mutating`. Declarations for guards and for the user, not a sandbox.
 */
export type Capability = 'readOnly' | 'mutating' | 'networking' | 'paid' | 'destructive';

/** Version of a domain's state, for optimistic concurrency; undefined where the domain has none. */
export type Revision = string | number | undefined;

/** A schema of any library that implements Standard Schema and its JSON Schema. */
export type LibrarySchema = StandardSchemaV1 & StandardJSONSchemaV1;

/**
 * Parameters of a tool: JSON Schema, or a schema of a library. A JSON Schema whose type is not known to the letter, for
 * example in a variable, from a file or from a server of tools, is accepted too: the arguments are a `JsonObject` then.
 */
export type ToolSchema = JSONSchema | LibrarySchema | { readonly [keyword: string]: unknown };

/** The arguments that an executor gets: what the schema describes, after a library's schema transformed it. */
export type Arguments<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : Described<S>;

/** The arguments as the model writes them, and as state and messages hold them: JSON, not transformed. */
export type WrittenArguments<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferInput<S> : Described<S>;

/** `string extends keyof`: the schema's keys are not known. */
type Described<S> = string extends keyof S ? JsonObject : S extends JSONSchema ? FromSchema<S> : JsonObject;

/** How to take back, and do again, what a tool did. */
export interface ToolUndo {
  /** What was done, in words for the user: `Added the card "Plan"`. */
  readonly description: string;
  /**
   * Takes the effect back. Answer `conflict(…)`, or throw, where that would overwrite what the user did since.
   *
   * @param expected the domain's revision as this session last left it
   */
  revert(expected: Revision): void | ToolOutcome | Promise<void | ToolOutcome>;
  /** Does it again. A turn can be redone only if each of its effects can. */
  readonly reapply?: ((expected: Revision) => void | ToolOutcome | Promise<void | ToolOutcome>) | undefined;
}

/** Checks what a tool passed to `context.undo`. Throws `invalid-configuration`, which is an error of the tool. */
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

/** Passed to an executor beside its arguments. */
export interface ToolContext {
  /** Fires when the call is cut: by an abort or a timeout. A plain `cancel()` lets a running tool finish. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The same for every attempt at this call; send it to a server so that it acts once. */
  readonly idempotencyKey: string;
  /** The domain's revision as the model knows it. Answer `conflict(…)` where the state has moved on. */
  readonly revision: Revision;
  /** Shows progress. Objects are merged field by field, anything else replaces what was shown. */
  progress(patch: JsonValue): void;
  /** Records how to take back what the tool did. May be called several times; the last is taken back first. */
  undo(entry: ToolUndo): void;
  /** Records an effect that cannot be taken back. */
  irreversible(description: string): void;
}

/**
 * Something that the model can do in the app. `Args` follows from the schema; it is a type of its own so that tools of any
 * schema are a `Tool`, and fit one list.
 */
export interface Tool<S extends ToolSchema = ToolSchema, Result = unknown, Args = Arguments<S>> {
  /** Without its domain: `add_card`. Letters, digits, `_` and `-`. */
  readonly name: string;
  /** What the model reads. */
  readonly description: string;
  /** Schema of an object. */
  readonly parameters: S;
  /** Default `['mutating']`. */
  readonly capabilities?: readonly Capability[] | undefined;
  /** Longest run in milliseconds. Default: the session's `toolTimeoutMs`, 30 s. */
  readonly timeoutMs?: number | undefined;
  /** Whether the effect can never be taken back; shown before the user is asked. Default false. */
  readonly irreversible?: boolean | undefined;
  /**
   * Whether a call touches nothing that the other calls of its answer touch. Such calls run side by side with each other
   * and with `readOnly` ones, in no certain order, up to the limit `maxConcurrentTools`; also when they change something.
   * Default false.
   */
  readonly parallel?: boolean | undefined;
  // A method, not a function property: its parameter is bivariant, which tools of any schema in one list need.
  /**
   * Does the work. Returns nothing, a value, or an outcome such as `failed(…)`. A value is copied as JSON; one that JSON cannot
   * hold (`undefined` in a list, a BigInt, a cycle, an instance of a class) becomes an error result that names the field. A
   * field that is `undefined` is left out, and `toJSON` is called, as by `JSON.stringify`.
   */
  execute(args: Args, context: ToolContext): Result | Promise<Result>;
}

/**
 * Defines a tool; the types of its arguments follow from its schema, and {@link callOf} reads its calls with these types.
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
