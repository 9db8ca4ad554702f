import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { ToolOutcome } from './tool-outcome.js';

/**
 * What a tool does to the world. `readOnly` tools run side by side and record no undo entry; none declared means
 * `mutating`. Declarations for guards and for the user, not a sandbox.
 */
export type Capability = 'readOnly' | 'mutating' | 'networking' | 'paid' | 'destructive';

/** Version of a domain's state, for optimistic concurrency; undefined where the domain has none. */
export type Revision = string | number | undefined;

/** Parameters of a tool: JSON Schema, or a schema of any library that speaks Standard Schema and its JSON Schema. */
export type ToolSchema = JSONSchema | (StandardSchemaV1 & StandardJSONSchemaV1);

/** The arguments that a schema describes. */
export type Arguments<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : S extends JSONSchema
    ? FromSchema<S>
    : JsonObject;

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
  reapply?(expected: Revision): void | ToolOutcome | Promise<void | ToolOutcome>;
}

/** What an executor gets beside its arguments. */
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
  /** Tells how to take back what the tool did. May be called several times; the last is taken back first. */
  undo(entry: ToolUndo): void;
  /** Tells that the tool did something which nobody can take back. */
  irreversible(description: string): void;
}

/** What an executor may return: nothing, a JSON value, or an outcome. */
export type ToolReturn = JsonValue | void | ToolOutcome;

/** Something that the model can do in the app. */
export interface Tool<S extends ToolSchema = ToolSchema> {
  /** Without its domain: `add_card`. Letters, digits, `_` and `-`. */
  readonly name: string;
  /** What the model reads. */
  readonly description: string;
  /** Schema of an object. */
  readonly parameters: S;
  /** Default `['mutating']`. */
  readonly capabilities?: readonly Capability[];
  /** Longest run in milliseconds. Default: the session's `toolTimeoutMs`, 30 s. */
  readonly timeoutMs?: number;
  /** Whether the effect can never be taken back; shown before the user is asked. Default false. */
  readonly irreversible?: boolean;
  /**
   * Whether a call touches nothing that the other calls of its answer touch. Such calls run side by side with each other
   * and with `readOnly` ones, in no certain order, up to the limit `maxConcurrentTools`; also when they change something.
   * Default false.
   */
  readonly parallel?: boolean;
  // A method, not a function property: its parameter is bivariant, so that tools of any schema fit one list.
  execute(args: Arguments<S>, context: ToolContext): ToolReturn | Promise<ToolReturn>;
}

/**
 * Defines a tool; the types of its arguments follow from its schema.
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
export function defineTool<const S extends ToolSchema>(tool: Tool<S>): Tool {
  return tool as unknown as Tool;
}
