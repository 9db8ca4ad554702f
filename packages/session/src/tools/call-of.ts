import type { ContentPart } from '../conversation/content.js';
import type { ToolCallView } from '../conversation/turn-record.js';
import type { JsonValue } from '../json/json.js';
import type { ToolOutcome } from './tool-outcome.js';
import type { Tool, ToolSchema, WrittenArguments } from './tool.js';

/** A call with the types of its tool. */
export interface TypedCall<S extends ToolSchema, Result> {
  /** The call as the session shows it: state, progress, rejection and so on. */
  readonly view: ToolCallView;
  /**
   * The arguments as far as their text can be parsed: until the call is `waiting`, any field may be absent and any string a
   * prefix. Arguments that do not fit the schema are here as well; the `rejection` of the view is `invalid-arguments` then.
   */
  readonly arguments: Partially<WrittenArguments<S>> | undefined;
  /** The arguments that the executor got, where the user edited them. */
  readonly ranWith: WrittenArguments<S> | undefined;
  /** The value that the tool returned; undefined unless the call succeeded, and where the tool returned none. */
  readonly value: ReturnedValue<Result> | undefined;
}

/** JSON whose fields may all be missing, at any depth. */
export type Partially<T> = T extends readonly (infer Item)[]
  ? readonly Partially<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partially<T[Key]> }
    : T;

/** The type of a returned value in a result: as JSON, and without outcomes. An outcome `success(…)` may hold any JSON. */
export type ReturnedValue<Result> =
  | AsJson<Exclude<Result, ToolOutcome | void>>
  | (Extract<Result, { readonly outcome: 'success' } & ToolOutcome> extends never ? never : JsonValue);

/** The type of a value after `JSON.stringify` and `JSON.parse`: a date is a string, a function is left out. */
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
 * Returns a call with the types of its tool; null for a call of another tool. Names are compared without the domain: where two
 * domains have tools of one name, compare `call.tool` first.
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
  // The result of edited arguments begins with a line for the model about the edit.
  const content: readonly ContentPart[] = ranWith === undefined ? result.content : result.content.slice(1);
  const [part] = content;
  if (content.length !== 1 || part === undefined || part.type === 'image') return undefined;
  return part.type === 'json' ? part.value : part.text;
}
