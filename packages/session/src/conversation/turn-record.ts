import type { ErrorCode, ErrorData } from '../errors/agent-session-error.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { KeptCompaction } from './compaction.js';
import type { EffectFailure } from './failure-reason.js';
import type { OpaquePart, TextPart, ThinkingPart, ToolResult } from './content.js';
import type { ModelIdentity } from './model-identity.js';
import type { Message } from './message.js';
import type { ToolChoice } from './tool-choice.js';
import type { UsageReport } from './usage-report.js';

/** A tool call as a view shows it, from its first fragment to its end. */
export interface ToolCallView {
  readonly type: 'tool-call';
  /** The session's id of the call. */
  readonly id: string;
  readonly providerCallId?: string;
  /** `domain.tool` */
  readonly tool: string;
  /** The title of the tool when the call began; absent where it had none. */
  readonly title?: string;
  /**
   * True for the call of a tool that the provider hosts itself, and for which it asks for an approval: `server.tool`. The session answers with
   * the user's decision; the tool runs at the provider.
   */
  readonly hosted?: true;
  /** 0-based position among the calls of its round. */
  readonly index: number;
  /**
   * `waiting`: its arguments are complete, and it is being decided, or approved and not yet started. `interrupted`: its session ended
   * while it ran, so that it may or may not have acted, unless it is `readOnly`.
   */
  readonly state: 'assembling' | 'waiting' | 'executing' | 'interrupted' | 'settled';
  readonly argumentsText: string;
  /** The arguments as far as their text can be parsed; undefined until there is a value. Final once the call is `waiting`. */
  readonly arguments?: JsonValue;
  /** The id of the grant that allowed the call, which a guard would have asked about. */
  readonly grant?: string;
  /** The arguments that the executor got, where the user edited them, or a middleware replaced them. */
  readonly ranWith?: JsonObject;
  /** True for a call of a `readOnly` tool that has begun: it changes nothing, also where it was cut. */
  readonly readOnly?: true;
  /** The progress that the tool reported; objects are merged field by field, any other value replaces the one before. */
  readonly progress?: JsonValue;
  /** Places that changed while the call ran, and that are no effect of it, since the user may have changed them: `cards/42/title`. */
  readonly unattributed?: readonly string[];
  readonly result?: ToolResult;
  /** The reason why the call never ran; absent on a call that ran. */
  readonly rejection?: RejectionReason;
  /** True when a rollback or an undo took the call's effect back. */
  readonly reverted?: boolean;
  /** Present when the tool returned after its call had been cut, by a cancel or a timeout. */
  readonly late?: LateSettlement;
}

/**
 * The reason why a call never ran: for example `denied` by a guard, `declined` by the user, `middleware` for one that a middleware rejected,
 * `conflict` for one whose preview changed twice after the user had approved it.
 */
export type RejectionReason =
  | 'unknown-tool'
  | 'invalid-arguments'
  | 'middleware'
  | 'denied'
  | 'declined'
  | 'confirmation-timeout'
  | 'confirmation-failed'
  | 'cancelled'
  | 'not-run'
  | 'repeated'
  | 'conflict'
  | 'validator-unavailable';

/** The end of a tool whose call had been cut, by a cancel or a timeout. */
export interface LateSettlement {
  readonly outcome: 'succeeded' | 'failed';
  /**
   * The fate of its effect: taken back, cannot be taken back, still there since the revert failed, kept since the user accepted it in a review
   * before, or there was no effect.
   */
  readonly effect: 'reverted' | 'irreversible' | 'revert-failed' | 'kept' | 'none';
  /** The effect as the tool described it, with `revert-failed` the part that is still there; absent where the tool recorded none. */
  readonly description?: string;
}

/** A message with which the user steered the running turn. It stands at the end of the round that it followed. */
export interface SteeringPart {
  readonly type: 'steering';
  readonly message: Message;
}

/** A piece of a round; a round lists them in the order of arrival. */
export type TurnPart = TextPart | ThinkingPart | OpaquePart | ToolCallView | SteeringPart;

/** One provider round trip of a turn. */
export interface RoundRecord {
  readonly parts: readonly TurnPart[];
}

/** One effect of a turn. */
export interface UndoItem {
  readonly toolCallId: string;
  /** `domain.tool` */
  readonly toolName: string;
  /** The effect in words for the user; the title of the tool where it described none, or else its id. */
  readonly description: string;
}

/** An effect that a turn committed. */
export interface CommittedEffect extends UndoItem {
  readonly irreversible: boolean;
}

/** The result of a rollback, an undo or a redo. An effect is listed as done only when its closure succeeded. */
export interface UndoReport {
  /** Effects that were taken back; of a redo, those that were made again. */
  readonly done: readonly UndoItem[];
  /** Effects whose closure threw, hung, or would have overwritten an edit of the user: of an undo, they are still there. */
  readonly failed: readonly (UndoItem & EffectFailure)[];
  /** Effects that cannot be taken back, and are still there. */
  readonly irreversible: readonly UndoItem[];
  /**
   * Effects of a session that was opened again which it can no longer take back, at least in part: their closures are gone, the tool
   * or its `undo` is missing, or the app's history restores nothing.
   */
  readonly lost: readonly UndoItem[];
  /** Calls that were still running when the turn ended: they may or may not have taken effect. */
  readonly unknown: readonly UndoItem[];
}

/** The report where no effect was there. */
export const nothingUndone: UndoReport = { done: [], failed: [], irreversible: [], lost: [], unknown: [] };

/** The reason why a turn stopped before the model had finished. */
export interface StopReason {
  /**
   * `tool`: a tool asked for it. `limit`: a limit tripped with `onTrip: 'stop'`. `withheld`: a middleware withheld the answer. The others
   * are finish reasons of the provider.
   */
  readonly kind: 'tool' | 'limit' | 'withheld' | 'length' | 'refusal' | 'content-filter' | 'approval';
  /** A sentence for the user: the words of the tool or of the middleware, else an English one. */
  readonly message: string;
  /** With the kind `limit`: the code and the values of the error that the limit would have been. */
  readonly limit?: Pick<ErrorData, 'code' | 'details'>;
  /** With the kind `withheld`: the name of the middleware. */
  readonly middleware?: string;
  /** With the kind `withheld`: the middleware failed, or the answer broke off before the middleware had it. */
  readonly because?: 'unchecked' | 'cut';
  /** A sentence of the provider, which ends `message`; absent where it gave none. */
  readonly detail?: string;
}

/** The four ways in which a turn ends. */
export type TurnStatus = 'completed' | 'stopped' | 'cancelled' | 'failed';

/** How a turn ended. */
export interface TurnOutcome {
  readonly status: TurnStatus;
  /** Usage of the whole turn; null where the provider reported none. */
  readonly usage: UsageReport | null;
  /** Rounds that were started. */
  readonly rounds: number;
  /** True where the turn completed, and the last answer of the model has no text: it says nothing about what the tools did. */
  readonly empty?: true;
  /** Present when the turn stopped. */
  readonly stop?: StopReason;
  /** The report of the rollback; absent when nothing was rolled back. */
  readonly report?: UndoReport;
  /** Present when the turn failed. */
  readonly error?: ErrorData;
}

/** The state of a turn after its last undo or redo; `partly` where some effects failed. */
export type UndoState = 'undone' | 'partly-undone' | 'redone' | 'partly-redone';

/** An effect of a turn that left the path, and that is still in place, or may be. */
export interface StayingEffect extends UndoItem {
  readonly turnId: string;
}

/** The options of a turn as JSON. */
export interface TurnOptions {
  /** The limits that were given for this turn; null stands for Infinity. */
  readonly limits?: Readonly<Record<string, number | string | null>>;
  /** The tool choice that was given for this turn; absent for `auto`. */
  readonly toolChoice?: Exclude<ToolChoice, 'auto'>;
  /** The instructions that were given for this turn; absent where there were none. */
  readonly directives?: readonly string[];
  /** Present where the user reviews the effects of the turn before they are committed. */
  readonly commit?: 'review';
}

/** The structured output that a turn was asked for, by `generate`. */
export interface StructuredOutput {
  /** The JSON Schema of an object that the answer fits. */
  readonly schema: JsonObject;
}

/** A change of the provider in a turn: `from` did not answer, and `to` carried the turn on. */
export interface ProviderSwitch {
  readonly from: ModelIdentity;
  readonly to: ModelIdentity;
  /** The last failure of `from`. */
  readonly code: ErrorCode;
  /** A sentence for the user about that failure. */
  readonly reason: string;
}

/** One turn: the user message, the rounds, and how it ended. A view draws its chat from these records. */
export interface TurnRecord {
  readonly id: string;
  /** The turn before it in the conversation; null for the first one. Turns with the same parent are attempts beside each other. */
  readonly parentId: string | null;
  /** The user message. */
  readonly input: Message;
  readonly rounds: readonly RoundRecord[];
  readonly status: 'running' | TurnStatus;
  /** null while the turn runs. */
  readonly outcome: TurnOutcome | null;
  /** The turn that this one repeats. */
  readonly retryOf?: string;
  /** The options that were given for this turn; absent where there were none. */
  readonly options?: TurnOptions;
  /**
   * Present on a turn of `generate`: the text of its last round is JSON that fits the schema. A turn that did not complete stands off the
   * path, and has no text.
   */
  readonly structured?: StructuredOutput;
  /** Ids of the domains that became active in this turn, in order; absent where none did. They stay active in the turns that follow it. */
  readonly activated?: readonly string[];
  /**
   * Effects of turns that had left the path when this one started, and were still in place then: its user message carries a note
   * about them for the model. Absent where there were none.
   */
  readonly stays?: readonly StayingEffect[];
  /** The changes of the provider, in order; absent where there was none. */
  readonly switches?: readonly (ProviderSwitch & {
    /** The round, 1-based. */
    readonly round: number;
  })[];
  /** The marks at which the conversation was compacted inside of this turn, oldest first; absent where there are none. */
  readonly compactions?: readonly KeptCompaction[];
  /** The messages that this turn appended to the conversation. */
  readonly messageIds: readonly string[];
  /** Effects that the turn committed. */
  readonly effects: readonly CommittedEffect[];
  /** Effects that were taken back in the review of the turn, in that order; absent where there are none. */
  readonly rejected?: readonly UndoItem[];
  /** Calls that were still running when the turn committed; absent when there were none. */
  readonly unknown?: readonly UndoItem[];
  /** The last undo or redo of the turn that changed an effect; absent before the first. */
  readonly undo?: {
    readonly state: UndoState;
    readonly report: UndoReport;
    /** Present where it was a step of a branch command: `regenerate`, `edit` or `switchTo`. */
    readonly by?: 'branch';
  };
}

/** Whether a turn is a `generate` that ended without its output. It never joins the path. */
export function isSetAside({
  structured,
  status,
}: Partial<Pick<TurnRecord, 'structured' | 'status'>>): boolean {
  return structured !== undefined && status !== 'running' && status !== 'completed';
}

/** Whether the user reviews the effects of a turn before they are committed. */
export function isReviewed(turn: Pick<TurnRecord, 'options'> | null): boolean {
  return turn?.options?.commit === 'review';
}

/** Returns the calls of a round, in order; an empty list for undefined. */
export function callsOf(round: RoundRecord | undefined): readonly ToolCallView[] {
  return round?.parts.filter((part) => part.type === 'tool-call') ?? [];
}
