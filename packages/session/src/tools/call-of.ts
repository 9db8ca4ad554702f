import type { ContentPart, JsonValue } from '@banister/provider';
import type { ToolCallView, TurnPart, TurnRecord, UndoItem } from '../conversation/turn-record.js';
import type { ToolCall } from '../consent/confirmation-operations.js';
import type { ToolOutcome } from './tool-outcome.js';
import type { ToolContext, ToolSchema, WrittenArguments } from './tool.js';
import { typedPart, type Partially } from './typed-part.js';

/** The part of a tool with which its calls are read. A page without the code of a tool can read them with its name and its schema. */
export interface ToolShape<S extends ToolSchema, Result = unknown, Progress = unknown> {
  readonly name: string;
  readonly parameters: S;
  // `execute` is a method, as in a tool, so that a tool with any arguments can be assigned to this type.
  /** Only for the types of value and progress. */
  execute?(args: never, context: ToolContext<Progress>): Result | Promise<Result>;
}

/** A call with the types of its tool. */
export interface TypedCall<S extends ToolSchema, Result, Progress = JsonValue> {
  /** The call as the session shows it, with its state, its rejection and so on. */
  readonly view: ToolCallView;
  /**
   * The part of the arguments that can be parsed: any field may be absent, and any string may be incomplete. A field whose type differs
   * from the schema is left out. undefined until there is an object.
   */
  readonly arguments: Partially<WrittenArguments<S>> | undefined;
  /**
   * The arguments with which the executor was called, or which a guard denied or the user declined: they fit the schema. undefined until
   * the call runs, and if the call was rejected earlier.
   */
  readonly complete: WrittenArguments<S> | undefined;
  /** The arguments that the executor received, if the user edited them, or a middleware replaced them. */
  readonly ranWith: WrittenArguments<S> | undefined;
  /** The value that the tool returned; undefined unless the call succeeded, and if the tool returned none. */
  readonly value: ReturnedValue<Result> | undefined;
  /** The progress that the tool reported, with objects merged field by field. undefined before the first report. */
  readonly progress: ReportedProgress<Progress> | undefined;
}

/** A call with checked arguments, in the form for guards, confirmations and middleware, with the types of its tool. */
export type CheckedCall<S extends ToolSchema, Call extends ToolCall = ToolCall> = Omit<Call, 'arguments'> & {
  readonly arguments: WrittenArguments<S>;
};

/** The type of a returned value in a result: as JSON, and without outcomes. An outcome `success(…)` may have any JSON. */
export type ReturnedValue<Result> =
  | AsJson<Exclude<Result, ToolOutcome | void>>
  | (Extract<Result, { readonly outcome: 'success' } & ToolOutcome> extends never ? never : JsonValue);

/** The type of the progress of a call, as JSON. */
export type ReportedProgress<Progress> = JsonValue extends Progress ? JsonValue : AsJson<Progress>;

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
 * Returns a call with the types of its tool; null for a call of another tool, and for any other part of a turn. The names of the tools are
 * compared without the domain: if two domains have tools with the same name, compare `call.tool` first.
 *
 * @param tool the tool as `defineTool` returned it, or its name and schema
 * @param call a call of `activeToolCalls`, or a part of a turn
 * @example
 * const added = callOf(addCard, call);
 * if (added) title.textContent = added.arguments?.title ?? '…';
 */
export function callOf<S extends ToolSchema, Result, Progress = JsonValue>(
  tool: ToolShape<S, Result, Progress>,
  call: TurnPart,
): TypedCall<S, Result, Progress> | null;
/**
 * Returns a checked call with the types of its tool; null for a call of another tool.
 *
 * @param call the call of a confirmation, or the call that a guard or a middleware receives
 * @example
 * const noShouting = defineGuard('no-shouting', (call) => {
 *   const title = callOf(addCard, call)?.arguments.title;
 *   return title?.endsWith('!') ? { deny: 'No exclamation marks.' } : 'allow';
 * });
 */
export function callOf<S extends ToolSchema, Call extends ToolCall>(
  tool: ToolShape<S>,
  call: Call,
): CheckedCall<S, Call> | null;
export function callOf<S extends ToolSchema, Result, Progress>(
  tool: ToolShape<S, Result, Progress>,
  call: TurnPart | ToolCall,
): TypedCall<S, Result, Progress> | ToolCall | null {
  if (!('type' in call)) return isOf(tool, call) ? call : null;
  if (call.type !== 'tool-call' || call.hosted || !isOf(tool, call)) return null;
  const given = call.ranWith ?? call.arguments;
  return {
    view: call,
    arguments: typedPart(tool.parameters, call.arguments),
    complete: wasChecked(call) ? (given as TypedCall<S, Result>['complete']) : undefined,
    ranWith: call.ranWith as TypedCall<S, Result>['ranWith'],
    value: valueOf(call) as TypedCall<S, Result>['value'],
    progress: call.progress as ReportedProgress<Progress> | undefined,
  };
}

/**
 * Returns the call that had an effect, with the types of its tool. Returns null for an effect of another tool, and if no turn of the list
 * has the call.
 *
 * @param effect an effect of `undoEntries`, of a turn, or of the report of an undo
 * @param turns the turns to search, for example `session.turns.value`
 * @example
 * const added = callOfEffect(addCard, effect, session.turns.value);
 * if (added) line.textContent = `Take back “${added.complete?.title}”`;
 */
export function callOfEffect<S extends ToolSchema, Result, Progress = JsonValue>(
  tool: ToolShape<S, Result, Progress>,
  { toolCallId }: UndoItem,
  turns: readonly TurnRecord[],
): TypedCall<S, Result, Progress> | null {
  for (const { rounds } of turns)
    for (const { parts } of rounds)
      for (const part of parts)
        if (part.type === 'tool-call' && part.id === toolCallId) return callOf(tool, part);
  return null;
}

/** Returns true if a checked call, or a call of a turn, is a call of this tool. */
export function isOf({ name }: Pick<ToolShape<ToolSchema>, 'name'>, call: Pick<ToolCall, 'tool'>): boolean {
  return call.tool.slice(call.tool.indexOf('.') + 1) === name;
}

/** Returns true if the arguments of a call were checked: guards and the user decide only about checked calls. */
function wasChecked({ state, rejection }: ToolCallView): boolean {
  switch (state) {
    case 'assembling':
    case 'waiting':
      return false;
    case 'executing':
    case 'interrupted':
      return true;
    case 'settled':
      return rejection === undefined || decided.includes(rejection);
  }
}

const decided: readonly ToolCallView['rejection'][] = [
  'denied',
  'declined',
  'confirmation-timeout',
  'confirmation-failed',
];

function valueOf({ result, ranWith }: ToolCallView): JsonValue | undefined {
  if (result?.outcome !== 'success') return undefined;
  // The result of edited arguments begins with a line for the model about the edit.
  const content: readonly ContentPart[] = ranWith === undefined ? result.content : result.content.slice(1);
  const [part] = content;
  if (content.length !== 1 || part === undefined || part.type === 'image') return undefined;
  return part.type === 'json' ? part.value : part.text;
}
