import type { JsonObject } from '@banister/provider';
import { sameJson } from '@banister/provider/internal/json/same-json';
import { readOutput } from '../conversation/read-output.js';
import type { TurnRecord } from '../conversation/turn-record.js';
import type { ToolSchema, WrittenArguments } from './tool.js';
import { plainSchema, typedPart, type Partially } from './typed-part.js';

/** The structured output of a turn, with the type of its schema. */
export interface TypedOutput<S extends ToolSchema> {
  readonly turn: TurnRecord;
  /**
   * The part of the output that has arrived: any field may be absent, and any string may be incomplete. A field whose type differs from the
   * schema is left out. undefined until there is an object.
   */
  readonly partial: Partially<WrittenArguments<S>> | undefined;
  /** The output of a completed turn. It fits the schema; the transformations of a library are not applied. */
  readonly value: WrittenArguments<S> | undefined;
}

/** The output of each record, so that a view that renders again gets the same object. */
const values = new WeakMap<TurnRecord, JsonObject | undefined>();

/**
 * Returns the output of a turn with the type of its schema; null for a turn with another schema, and for a turn without structured output.
 *
 * @param schema the schema that was passed to `generate`, or as the option `output` of a run
 * @param turn a turn of `turns`, `liveTurn`, or a child turn
 * @param partial `partialOutput`, for the running turn of `generate`
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

/** Returns the output of a turn, the same object for the same record. */
function finalOutput(turn: TurnRecord): JsonObject | undefined {
  if (!values.has(turn)) values.set(turn, readOutput(turn));
  return values.get(turn);
}
