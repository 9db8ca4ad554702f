import type { ContentPart } from '../conversation/content.js';
import type { ToolCallView } from '../conversation/turn-record.js';
import type { JsonValue } from '../json/json.js';
import type { ToolOutcome } from './tool-outcome.js';
import type { Tool, ToolSchema, WrittenArguments } from './tool.js';

/** A call of a certain tool, read with the types of that tool. */
export interface TypedCall<S extends ToolSchema, Result> {
  /** The call as the session shows it: state, progress, rejection and so on. */
  readonly view: ToolCallView;
  /**
   * The arguments as far as they can be read: any field may be missing, and a text may be cut, until the call is `waiting`.
   * Arguments that the schema refuses stand here as well, with `rejection` set to `invalid-arguments`.
   */
  readonly arguments: Partially<WrittenArguments<S>> | undefined;
  /** The arguments that really ran, where the user edited them. */
  readonly ranWith: WrittenArguments<S> | undefined;
  /** The value that the tool returned; undefined before it succeeded, and where it returned none. */
  readonly value: ReturnedValue<Result> | undefined;
}

/** JSON whose fields may all be missing, at any depth. */
export type Partially<T> = T extends readonly (infer Item)[]
  ? readonly Partially<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partially<T[Key]> }
    : T;

/** A returned value as it is in a result: without outcomes, as JSON. An outcome `success(…)` may hold any JSON. */
export type ReturnedValue<Result> =
  | AsJson<Exclude<Result, ToolOutcome | void>>
  | (Extract<Result, { readonly outcome: 'success' } & ToolOutcome> extends never ? never : JsonValue);

/** The type of a value after it was written as JSON: a date is a text, a function is left out. */
export type AsJson<T> = T extends { toJSON(): infer Json }
  ? Json
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends (...args: never) => unknown
      ? never
      : T extends readonly (infer Item)[]
        ? readonly AsJson<Item>[]
        : T extends object
          ? { readonly [Key in keyof T]: AsJson<T[Key]> }
          : unknown extends T
            ? JsonValue
            : never;

/**
 * Reads a call with the types of its tool; null where the call is one of another tool. The tool is recognized by its name
 * without the domain: where two domains have tools of one name, compare `call.tool` first.
 *
 * @example
 * const added = callOf(addCard, call);
 * if (added) title.textContent = added.arguments?.title ?? '…';
 */
export function callOf<S extends ToolSchema, Result>(
  tool: Tool<S, Result>,
  call: ToolCallView,
): TypedCall<S, Result> | null {
  if (call.tool.slice(call.tool.indexOf('.') + 1) !== tool.name) return null;
  return {
    view: call,
    arguments: call.arguments as TypedCall<S, Result>['arguments'],
    ranWith: call.ranWith as TypedCall<S, Result>['ranWith'],
    value: valueOf(call) as TypedCall<S, Result>['value'],
  };
}

function valueOf({ result, ranWith }: ToolCallView): JsonValue | undefined {
  if (result?.outcome !== 'success') return undefined;
  // Before the result of edited arguments stands a line that informs the model of the edit.
  const content: readonly ContentPart[] = ranWith === undefined ? result.content : result.content.slice(1);
  const [part] = content;
  if (content.length !== 1 || part === undefined || part.type === 'image') return undefined;
  return part.type === 'json' ? part.value : part.text;
}
