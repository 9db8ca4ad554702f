import type { ContentPart, ToolResultOutcome } from '../conversation/content.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { Message } from '../conversation/message.js';
import type { TurnRecord } from '../conversation/turn-record.js';
import type { UsageReport } from '../conversation/usage-report.js';
import type { GuardedCall } from '../guards/guard.js';
import type { RequestedCall, ToolFailed } from '../operations/tool-operations.js';
import type { FinishReason } from '../provider/provider-event.js';
import type { ProviderRequest } from '../provider/provider.js';

/** The second argument of each hook. */
export interface HookContext {
  readonly turnId: string;
  /** The open round, 1-based. */
  readonly round: number;
  /** Fires when the turn ends first, and when the time of the hook is over (the limit `hookTimeoutMs`). */
  readonly signal: AbortSignal;
}

/** An answer of the model. */
export interface ModelAnswer {
  readonly text: string;
  readonly thinking: string;
  /** The calls with which it ends; none of them was decided. */
  readonly calls: readonly RequestedCall[];
  /** The calls that the model made inside it. They have run. */
  readonly innerCalls: readonly RequestedCall[];
  /** The reason why it ended; null where the turn ended it. */
  readonly finish: FinishReason | null;
}

/**
 * The verdict on an answer: it is kept, or it is withheld. The text of `withhold` is for the user. With `again` the next round asks once
 * more, and that request ends with this note for the model. Without `again`, or where a round of the turn was asked again before, the turn stops.
 */
export type AnswerVerdict = 'keep' | { readonly withhold: string; readonly again?: string | undefined };

/** The verdict on a tool call: it goes on, with other arguments if given, or is rejected. The text of `reject` is for the model. */
export type CallVerdict = 'proceed' | { readonly arguments: JsonObject } | { readonly reject: string };

/** The result of a tool call, before it is recorded. */
export interface ToolAnswer {
  readonly call: GuardedCall;
  /** `success` or `stop`, else the kind of the error that the tool answered with. */
  readonly outcome: ToolResultOutcome;
  /** What the model will read. */
  readonly content: readonly ContentPart[];
  /** The words of the tool for the user, where it has some. A result that is replaced or rejected has none of them. */
  readonly forUser?: string;
}

/**
 * The verdict on a result: it is kept, has another content, or is rejected. A text in `replace` becomes a text part, a content part stays as it is, other
 * values become JSON parts. The text of `reject` is for the model, which reads it as an error in the place of the result.
 */
export type ToolResultVerdict =
  'keep' | { readonly replace: readonly (JsonValue | ContentPart)[] } | { readonly reject: string };

/** A tool call that failed. */
export interface ToolError {
  readonly call: GuardedCall;
  readonly outcome: ToolFailed['outcome'];
  /** The text that the model reads. */
  readonly message: string;
  /** The number of calls of this tool that failed in the turn, this one included. */
  readonly failures: number;
}

/** The verdict on a failed call: the model reads the error, or the turn fails with `tool-escalated`. The text is for the user. */
export type ToolErrorVerdict = 'feed-back' | { readonly escalate: string };

/** A turn with its final answer, before its effects are committed. */
export interface FinishedTurn {
  readonly record: TurnRecord;
  /** The text of all rounds. */
  readonly text: string;
  /** null where the provider reported none. */
  readonly usage: UsageReport | null;
  /** The number of times that middleware continued the turn before. */
  readonly continuations: number;
}

/** The verdict on a finished turn: it ends, or goes on with another round, for which the model reads the note. */
export type FinishedTurnVerdict = 'end' | { readonly continue: string };

type Answered<T> = T | undefined | void | Promise<T | undefined | void>;

/**
 * Code that may change what happens next in a turn. The hooks of all middleware are called in the order of the list, one after the
 * other. The values that they get are frozen. A hook that returns nothing changes nothing.
 *
 * A hook that throws, takes longer than `hookTimeoutMs`, or returns another value than its type permits: see each hook.
 *
 * @example
 * const polite: Middleware = {
 *   name: 'polite',
 *   beforeRequest: (request) => ({ ...request, system: `${request.system}\nAnswer politely.` }),
 * };
 * const session = createAgentSession({ provider, middleware: [polite] });
 */
export interface Middleware {
  /** In operations and errors. Unique in a session. */
  readonly name: string;
  /**
   * Is called before each request, and returns the one to send. It may change `system` and `messages`. Other fields, the roles of
   * messages, the pairs of calls and results, and signed parts stay as they are; a message or a part may be left out. The conversation does not
   * change. Retries of a request repeat it as it was sent. On failure nothing is sent, and the turn fails with `egress-refused`.
   */
  beforeRequest?(request: ProviderRequest, context: HookContext): Answered<ProviderRequest>;
  /**
   * Belongs to a `beforeRequest` that takes pieces of text out: returns a message without them, and the same object where there are none. Is called,
   * without waiting, before a text is cut for a request, since `beforeRequest` would not know a half of a piece: with the messages that a
   * compaction shortens, and with the error of a tool. On failure nothing is sent.
   */
  redact?(message: Message): Message;
  /** Is called with each answer, before its calls are decided. The first that withholds it decides. On failure the answer is withheld, and the turn stops. */
  afterResponse?(answer: ModelAnswer, context: HookContext): Answered<AnswerVerdict>;
  /**
   * Is called with the calls of a batch that are valid, before the guards. Returns verdicts by the id of the call; a call without one
   * proceeds. Replaced arguments are checked again, and the result of the call names the middleware. On failure every call of the batch is rejected.
   */
  beforeToolCalls?(
    calls: readonly GuardedCall[],
    context: HookContext,
  ): Answered<Readonly<Record<string, CallVerdict>>>;
  /**
   * Is called when the executor of a call has returned or thrown, before its result is recorded: what it replaces or rejects is in no operation, log,
   * conversation or export. A later hook gets the content of an earlier one; the first that rejects decides. The effects of a call whose result is
   * rejected stand, and can be undone; a `stop` that is rejected does not stop the turn. On failure the result is rejected.
   */
  afterToolCall?(answer: ToolAnswer, context: HookContext): Answered<ToolResultVerdict>;
  /** Is called when a tool call failed. The first that escalates decides. On failure the model reads the error of the tool. */
  onToolError?(error: ToolError, context: HookContext): Answered<ToolErrorVerdict>;
  /**
   * Is called after the final answer of a turn, before the commit; not for a turn that stops, fails or is cancelled. The first that continues
   * decides, at most `maxContinuations` times a turn, and never against another limit. On failure it is skipped, and the error is reported.
   */
  afterTurn?(turn: FinishedTurn, context: HookContext): Answered<FinishedTurnVerdict>;
}
