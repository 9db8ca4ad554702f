import type {
  ContentPart,
  FinishReason,
  JsonObject,
  JsonValue,
  Message,
  ProviderRequest,
  ToolResultOutcome,
  UsageReport,
} from '@banister/provider';
import type { AgentRef } from '../conversation/agent-ref.js';
import type { TurnRecord } from '../conversation/turn-record.js';
import type { GuardedCall } from '../guards/guard.js';
import type { RequestedCall, ToolFailed } from '../operations/tool-operations.js';

/** The second argument of each hook. */
export interface HookContext {
  readonly turnId: string;
  /** The agent in whose child turn the hook is called; absent in the turn that the user sent. */
  readonly agent?: AgentRef | undefined;
  /** The number of the open round, 1-based. */
  readonly round: number;
  /** Fires if the turn ends first, or if the time of the hook is over (the limit `hookTimeoutMs`). */
  readonly signal: AbortSignal;
}

/** An answer of the model. */
export interface ModelAnswer {
  readonly text: string;
  readonly thinking: string;
  /** The calls with which the answer ends. None of them has been decided. */
  readonly calls: readonly RequestedCall[];
  /** The calls that the model made inside the answer. They have run. */
  readonly innerCalls: readonly RequestedCall[];
  /** Why the answer ended; null if the turn ended it. */
  readonly finish: FinishReason | null;
}

/**
 * The verdict on an answer: keep it, or withhold it. `withhold` is a text for the user. With `again` the next round requests the answer
 * once more, and that request ends with this note for the model. The turn stops if `again` is absent, or if an answer of the turn was
 * already requested again.
 */
export type AnswerVerdict = 'keep' | { readonly withhold: string; readonly again?: string | undefined };

/** The verdict on a tool call: it goes on, with other arguments if given, or it is rejected. `reject` is a text for the model. */
export type CallVerdict = 'proceed' | { readonly arguments: JsonObject } | { readonly reject: string };

/** The result of a tool call, before it is recorded. */
export interface ToolAnswer {
  readonly call: GuardedCall;
  /** `success` or `stop`, or the kind of error with which the tool answered. */
  readonly outcome: ToolResultOutcome;
  /** The content that the model will read. */
  readonly content: readonly ContentPart[];
  /** The tool's sentence for the user, if it has one. A replaced or rejected result has no such sentence. */
  readonly forUser?: string;
}

/**
 * The verdict on a result: keep it, replace its content, or reject it. In `replace`, a string becomes a text part, a content part stays as
 * it is, and other values become JSON parts. `reject` is a text for the model, which reads it as an error instead of the result.
 */
export type ToolResultVerdict =
  'keep' | { readonly replace: readonly (JsonValue | ContentPart)[] } | { readonly reject: string };

/** A tool call that failed. */
export interface ToolError {
  readonly call: GuardedCall;
  readonly outcome: ToolFailed['outcome'];
  /** The text that the model reads. */
  readonly message: string;
  /** The number of failed calls of this tool in the turn, including this call. */
  readonly failures: number;
}

/** The verdict on a failed call: the model reads the error, or the turn fails with `tool-escalated`. `escalate` is a text for the user. */
export type ToolErrorVerdict = 'feed-back' | { readonly escalate: string };

/** A turn with its final answer, before its effects are committed. */
export interface FinishedTurn {
  readonly record: TurnRecord;
  /** The text of all rounds. */
  readonly text: string;
  /** null if the provider reported none. */
  readonly usage: UsageReport | null;
  /** How many times middleware has already continued the turn. */
  readonly continuations: number;
}

/** The verdict on a finished turn: it ends, or goes on with another round, for which the model reads the note `continue`. */
export type FinishedTurnVerdict = 'end' | { readonly continue: string };

type Answered<T> = T | undefined | void | Promise<T | undefined | void>;

/**
 * Code that may change what happens next in a turn. The hooks of all middleware are called in list order, one at a time. The values that
 * they receive are frozen. A hook that returns nothing changes nothing.
 *
 * A hook fails if it throws, takes longer than `hookTimeoutMs`, or returns a value that its type does not permit. What happens then is said
 * at each hook.
 *
 * @example
 * const polite: Middleware = {
 *   name: 'polite',
 *   beforeRequest: (request) => ({ ...request, system: `${request.system}\nAnswer politely.` }),
 * };
 * const session = createAgentSession({ provider, middleware: [polite] });
 */
export interface Middleware {
  /** The name in operations and errors. Unique in a session, and among the middleware of a session and of an agent. */
  readonly name: string;
  /**
   * Called before each request; returns the request to send. It may change `system` and `messages`. Other fields, the roles of messages,
   * the pairs of calls and results, and signed parts must stay as they are; a message or a part may be left out. The conversation does not
   * change. A retry sends the changed request again. On failure the request is not sent, and the turn fails with `egress-refused`.
   */
  beforeRequest?(request: ProviderRequest, context: HookContext): Answered<ProviderRequest>;
  /**
   * Belongs to a `beforeRequest` that removes pieces of text. Returns a message without these pieces, or the same object if there are none.
   * It must be synchronous. It is called before a text is shortened for a request, because `beforeRequest` could not recognise half of a
   * piece: for the messages that a compaction shortens, and for the error of a tool. On failure the request is not sent.
   */
  redact?(message: Message): Message;
  /**
   * Called with each answer, before its calls are decided. The first hook that withholds the answer decides. On failure the answer is
   * withheld, and the turn stops.
   */
  afterResponse?(answer: ModelAnswer, context: HookContext): Answered<AnswerVerdict>;
  /**
   * Called with the valid calls of a batch, before the guards. Returns verdicts by call id; a call without a verdict proceeds. Replaced
   * arguments are checked again, and the result of the call names the middleware. On failure every call of the batch is rejected.
   */
  beforeToolCalls?(
    calls: readonly GuardedCall[],
    context: HookContext,
  ): Answered<Readonly<Record<string, CallVerdict>>>;
  /**
   * Called when the executor of a call has returned or thrown, before its result is recorded. So no operation, log, conversation or export
   * has what it replaces or rejects. A later hook gets the content that an earlier hook returned; the first hook that rejects decides. The
   * effects of a call with a rejected result stay, and can be undone. A rejected `stop` does not stop the turn. On failure the result is
   * rejected.
   */
  afterToolCall?(answer: ToolAnswer, context: HookContext): Answered<ToolResultVerdict>;
  /**
   * Called when a tool call failed. The first hook that escalates decides. For a call of an agent, middleware of the session ends the turn
   * that the user sent, and middleware of the agent ends the child turn alone. On failure the model reads the error of the tool.
   */
  onToolError?(error: ToolError, context: HookContext): Answered<ToolErrorVerdict>;
  /**
   * Called after the final answer of a turn, before the commit. Not called for a turn that stops, fails or is cancelled. The first hook
   * that continues decides, at most `maxContinuations` times per turn, and never against another limit. On failure the hook is skipped, and
   * the error is reported. For a child turn only the middleware of its agent is called.
   */
  afterTurn?(turn: FinishedTurn, context: HookContext): Answered<FinishedTurnVerdict>;
}
