import type { TurnRecord } from '../conversation/turn-record.js';
import { isJsonObject, type JsonObject } from '../json/json.js';
import { sameJson } from '../json/same-json.js';
import type { ToolSchema, WrittenArguments } from './tool.js';
import { plainSchema, typedPart, type Partially } from './typed-part.js';

/** The output of a turn of `generate`, with the type of its schema. */
export interface TypedOutput<S extends ToolSchema> {
  readonly turn: TurnRecord;
  /**
   * The output as far as it has arrived: any field may be absent, and any text may be a prefix. A field of another type than the schema's is left
   * out. undefined until there is an object.
   */
  readonly partial: Partially<WrittenArguments<S>> | undefined;
  /** The output of a turn that completed. It fits the schema; the transformations of a library are not in it. */
  readonly value: WrittenArguments<S> | undefined;
}

/** The outputs by their records, so that a view which draws again gets the same object. */
const values = new WeakMap<TurnRecord, JsonObject | undefined>();

/**
 * Returns the output of a turn with the type of its schema; null for a turn of another schema, and for one that is no turn of `generate`.
 *
 * @param schema the schema that `generate` was called with
 * @param turn a turn of `turns`, or `liveTurn`
 * @param partial `partialOutput`, for the running turn
 * @example
 * const { liveTurn, partialOutput } = session;
 * const output = outputOf(boardSchema, liveTurn.value, partialOutput.value);
 * if (output) title.textContent = output.partial?.title ?? '…';
 */
export function outputOf<const S extends ToolSchema>(
  schema: S,
  turn: TurnRecord | null,
  partial: JsonObject | null = null,
): TypedOutput<S> | null {
  if (!turn?.structured || !sameJson(turn.structured.schema, plainSchema(schema))) return null;
  const value = finalOutput(turn) as WrittenArguments<S> | undefined;
  return {
    turn,
    partial:
      value === undefined
        ? typedPart(schema, turn.status === 'running' ? partial : null)
        : (value as Partially<WrittenArguments<S>>),
    value,
  };
}

/** The text of the last round is the output. */
function finalOutput(turn: TurnRecord): JsonObject | undefined {
  if (turn.status !== 'completed') return undefined;
  if (!values.has(turn)) values.set(turn, readOutput(turn));
  return values.get(turn);
}

function readOutput({ rounds }: TurnRecord): JsonObject | undefined {
  const texts = rounds.at(-1)?.parts.flatMap((part) => (part.type === 'text' ? part.text : [])) ?? [];
  try {
    const value: unknown = JSON.parse(texts.join(''));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
