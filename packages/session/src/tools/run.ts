import type { ErrorData, UsageReport } from '@banister/provider';
import type { CommittedEffect, StopReason, TurnStatus, UndoReport } from '../conversation/turn-record.js';

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
export interface RunOptions {
  /**
   * Names the run among the runs of its call, for a call that runs again after a reload. Default: its number, in the order of the calls of
   * `run`.
   */
  readonly key?: string | undefined;
  /**
   * The name of a conversation: the child turn continues the conversation of the last child turn of this agent with this name on the path.
   * Default: a new conversation.
   */
  readonly thread?: string | undefined;
  /** What the agent reads of the conversation above. Default `nothing`. */
  readonly reads?: 'nothing' | 'conversation' | undefined;
  /** Limits of this run, in addition to the limits of the agent. */
  readonly limits?: AgentLimits | undefined;
  /** Instructions for this run, at the end of the system prompt. Default: none. */
  readonly directives?: readonly string[] | undefined;
  /** Cancels this child turn alone. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of a child turn, whichever way it ended. */
export interface RunResult {
  /** The id of the child turn; empty if none began. */
  readonly id: string;
  readonly status: TurnStatus;
  /** The text of its last round that has text. The text is partial if the child turn did not complete. */
  readonly text: string;
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
  /** Present if effects were taken back. */
  readonly report?: UndoReport;
}
