import type { ErrorData, UsageReport } from '@banister/provider';
import type { CommittedEffect, StopReason, TurnStatus, UndoReport } from '../conversation/turn-record.js';
import type { Arguments, ToolSchema } from './tool-schema.js';

/** The limits that an agent, or a run of an agent, may have of its own. A limit that trips stops the child turn, which keeps its effects. */
export interface AgentLimits {
  readonly maxRounds?: number | undefined;
  readonly maxToolCalls?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxThinkingMs?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly maxTokensPerRound?: number | undefined;
  readonly maxCost?: number | undefined;
}

/** The options of {@link ToolContext.run}. */
export interface RunOptions<S extends ToolSchema = never> {
  /**
   * Names the run among the runs of its call, for a call that runs again after a reload. A key belongs to an agent, an input and the schema
   * of an output: with others, the effects of the child turn in the log are taken back, and the run is new. Default: its number, in the
   * order of the calls of `run`, which is never the same as a given key.
   */
  readonly key?: string | undefined;
  /**
   * The name of a conversation: the child turn continues the conversation of the last child turn of this agent with this name on the path.
   * Default: a new conversation.
   */
  readonly thread?: string | undefined;
  /** What the agent reads of the conversation above. Default `nothing`. */
  readonly reads?: 'nothing' | 'conversation' | undefined;
  /**
   * The schema of the result as JSON, with an object as its root. An agent with tools works first, and after its answer one more round asks
   * for the output. An agent without tools answers with the output. Default: the result is text.
   */
  readonly output?: S | undefined;
  /** Limits of this run, in addition to the limits of the agent. */
  readonly limits?: AgentLimits | undefined;
  /** Instructions for this run, at the end of the role of the agent. Default: none. */
  readonly directives?: readonly string[] | undefined;
  /** Aborts this child turn alone. If it has fired before the run begins, the run rejects `cancelled`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The result of a child turn that completed, stopped, failed or was cancelled.
 *
 * @example
 * const output = { type: 'object', properties: { areas: { type: 'array', items: { type: 'string' } } } } as const;
 * const found = await run('scout', 'What is new?', { output });
 * const areas = found.output?.areas ?? [];
 */
export interface RunResult<S extends ToolSchema = never> {
  /** The id of the child turn; empty if none began. */
  readonly id: string;
  readonly status: TurnStatus;
  /** The text of its last round that has text. The text is partial if the child turn did not complete. */
  readonly text: string;
  /** The output that fits the schema of the option `output`; undefined without the option, and if the child turn did not complete. */
  readonly output: Arguments<S> | undefined;
  /** Its usage, with the usage of its own child turns; null if the provider reported none. */
  readonly usage: UsageReport | null;
  /** The number of rounds that were started. */
  readonly rounds: number;
  /** The effects that stay. */
  readonly effects: readonly CommittedEffect[];
  /** Present if the child turn stopped. */
  readonly stop?: StopReason;
  /** Present if the child turn failed. */
  readonly error?: ErrorData;
  /** What was taken back, and what stays. Present if the child turn failed, or was cancelled and did not keep its effects. */
  readonly report?: UndoReport;
}

/** The options of a run with any schema. */
export type AnyRunOptions = RunOptions<ToolSchema>;

/** The result of a run with any schema. */
export type AnyRunResult = RunResult<ToolSchema>;
