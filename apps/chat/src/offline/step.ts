import type { JsonObject } from '@banister/session';
import type { ToolCallPart, ToolResultPart } from '@banister/provider';

/** A call that the model is going to make. */
export interface PlannedCall {
  /** For example `board.add_card`. */
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** One answer of the model. An answer without calls is the last of the turn. */
export interface Step {
  readonly thinking?: string;
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

/** A call of an earlier round, with its result. */
export interface Outcome {
  readonly call: ToolCallPart;
  readonly result: ToolResultPart;
}

/**
 * A plan: yields an answer with calls, gets their outcomes, and finally returns the last answer. The model
 * has no memory, so each request runs the plan again from the start, with the outcomes in the conversation.
 */
export type Plan = Generator<Step, string, readonly Outcome[]>;

export function call(tool: string, args: JsonObject): PlannedCall {
  return { tool: `board.${tool}`, arguments: args };
}
