import type {
  ErrorCode,
  ErrorData,
  JsonObject,
  JsonValue,
  Message,
  ModelIdentity,
  OpaquePart,
  TextPart,
  ThinkingPart,
  ToolChoice,
  ToolResult,
  UsageReport,
} from '@banister/provider';
import type { Budget } from '../operations/budget.js';
import type { Phase } from '../state/phase.js';
import type { KeptCompaction } from './compaction.js';
import type { EffectFailure } from './failure-reason.js';

/** A tool call in the form for views, from its first fragment to its end. */
export interface ToolCallView {
  readonly type: 'tool-call';
  /** The session's id of the call. */
  readonly id: string;
  readonly providerCallId?: string;
  /** `domain.tool` */
  readonly tool: string;
  /** The title of the tool when the call began; absent if it had none. */
  readonly title?: string;
  /**
   * True for a call of a tool that the provider hosts itself, and for which it asks for an approval: `server.tool`. The session answers
   * with the user's decision, and the tool runs at the provider.
   */
  readonly hosted?: true;
  /** 0-based position among the calls of its round. */
  readonly index: number;
  /**
   * `waiting`: its arguments are complete, and it is being decided, or is approved but not started. `interrupted`: its session ended while
   * it ran. Then it may or may not have acted, unless it is `readOnly`.
   */
  readonly state: 'assembling' | 'waiting' | 'executing' | 'interrupted' | 'settled';
  readonly argumentsText: string;
  /** The part of the arguments that can be parsed; undefined until there is a value. Final when the call is `waiting`. */
  readonly arguments?: JsonValue;
  /** The id of the grant that allowed the call, about which a guard would have asked. */
  readonly grant?: string;
  /** The arguments that the executor received, if the user edited them, or a middleware replaced them. */
  readonly ranWith?: JsonObject;
  /** True for a call of a `readOnly` tool that has begun. It changes nothing, even if it was aborted. */
  readonly readOnly?: true;
  /** The progress that the tool reported. Objects are merged field by field; any other value replaces the previous value. */
  readonly progress?: JsonValue;
  /**
   * Places such as `cards/42/title` that changed while the call ran, but do not count as its effect, because the user may have changed
   * them.
   */
  readonly unattributed?: readonly string[];
  readonly result?: ToolResult;
  /** Why the call never ran; absent for a call that ran. */
  readonly rejection?: RejectionReason;
  /** True when a rollback or an undo took the call's effect back. */
  readonly reverted?: boolean;
  /** Present if the tool returned after a cancel or a timeout had aborted its call. */
  readonly late?: LateSettlement;
  /** The child turns of this call, in the order of their runs; absent if it ran none. */
  readonly children?: readonly ChildTurn[];
}

/**
 * Why a call never ran. For example `denied` by a guard, `declined` by the user, or `middleware` if a middleware rejected it. `conflict`:
 * its preview changed twice after the user had approved it, or another agent changed one of its resources after the agent had read it.
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

/** How a tool ended after a cancel or a timeout had aborted its call. */
export interface LateSettlement {
  readonly outcome: 'succeeded' | 'failed';
  /**
   * What became of its effect. `reverted`: taken back. `irreversible`: it cannot be taken back. `revert-failed`: still there, because the
   * revert failed; while the turn runs, it becomes an effect of the turn, with its revert. `kept`: the user had accepted it in a review.
   * `none`: there was no effect.
   */
  readonly effect: 'reverted' | 'irreversible' | 'revert-failed' | 'kept' | 'none';
  /** The effect as the tool described it; with `revert-failed`, only the part that is still there. Absent if the tool recorded none. */
  readonly description?: string;
}

/** A message with which the user steered the running turn. It is at the end of the round after which it joined. */
export interface SteeringPart {
  readonly type: 'steering';
  readonly message: Message;
}

/** A piece of a round; a round lists them in the order of arrival. */
export type TurnPart = TextPart | ThinkingPart | OpaquePart | ToolCallView | SteeringPart;

/** One round of a turn: a request to the provider and its answer. */
export interface RoundRecord {
  readonly parts: readonly TurnPart[];
}

/** One effect of a turn. */
export interface UndoItem {
  readonly toolCallId: string;
  /** `domain.tool` */
  readonly toolName: string;
  /** The effect as a sentence for the user. If the tool gave no description, the title of the tool, or its id. */
  readonly description: string;
  /** The id of the child turn whose effect it is; absent for an effect of the turn itself. */
  readonly child?: string;
}

/** An effect that a turn committed. */
export interface CommittedEffect extends UndoItem {
  readonly irreversible: boolean;
}

/** The result of a rollback, an undo or a redo. An effect is listed as done only if its closure succeeded. */
export interface UndoReport {
  /** Effects that were taken back; for a redo, effects that were made again. */
  readonly done: readonly UndoItem[];
  /**
   * Effects whose closure threw, did not answer in time, or would have overwritten an edit of the user. After an undo, they are still
   * there.
   */
  readonly failed: readonly (UndoItem & EffectFailure)[];
  /** Effects that cannot be taken back, and are still there. */
  readonly irreversible: readonly UndoItem[];
  /**
   * Effects of an earlier session that this session can no longer take back, at least in part: their closures are gone, the tool or its
   * `undo` is missing, or the app's history restores nothing.
   */
  readonly lost: readonly UndoItem[];
  /** Calls that were still running when the turn ended: they may or may not have taken effect. */
  readonly unknown: readonly UndoItem[];
}

/** The report if there was no effect. */
export const nothingUndone: UndoReport = { done: [], failed: [], irreversible: [], lost: [], unknown: [] };

/** Why a turn stopped before the model had finished. */
export interface StopReason {
  /**
   * `tool`: a tool stopped the turn. `limit`: a limit tripped with `onTrip: 'stop'`, or the output of a child turn was not valid. `withheld`:
   * a middleware withheld the answer. The other values are finish reasons of the provider.
   */
  readonly kind: 'tool' | 'limit' | 'withheld' | 'length' | 'refusal' | 'content-filter' | 'approval';
  /** A sentence for the user, from the tool or the middleware, or an English one. */
  readonly message: string;
  /** Present with the kind `limit`: the code and the values of the error that the limit would have caused. */
  readonly limit?: Pick<ErrorData, 'code' | 'details'>;
  /** Present if the limit is that of a turn above, which ended by it too. */
  readonly above?: true;
  /** Present with the kind `withheld`: the name of the middleware. */
  readonly middleware?: string;
  /**
   * Present with the kind `withheld`, in two cases. `unchecked`: the middleware failed. `cut`: the answer was interrupted before the
   * middleware received it.
   */
  readonly because?: 'unchecked' | 'cut';
  /** The sentence of the provider at the end of `message`. Absent if the provider gave no sentence. */
  readonly detail?: string;
}

/** The four ways in which a turn ends. */
export type TurnStatus = 'completed' | 'stopped' | 'cancelled' | 'failed';

/** How a turn ended. */
export interface TurnOutcome {
  readonly status: TurnStatus;
  /** Usage of the whole turn; null if the provider reported none. */
  readonly usage: UsageReport | null;
  /** The number of rounds that were started. */
  readonly rounds: number;
  /** True if the turn completed but the last answer of the model has no text, so that it says nothing about what the tools did. */
  readonly empty?: true;
  /** Present if the turn stopped. */
  readonly stop?: StopReason;
  /** The report of the rollback; absent if nothing was rolled back. */
  readonly report?: UndoReport;
  /** Present if the turn failed. */
  readonly error?: ErrorData;
}

/** The state of a turn after its last undo or redo; `partly` if some effects failed. */
export type UndoState = 'undone' | 'partly-undone' | 'redone' | 'partly-redone';

/** An effect of a turn that left the path. The effect is still in place, or may be. */
export interface StayingEffect extends UndoItem {
  readonly turnId: string;
}

/** The options of a turn as JSON. */
export interface TurnOptions {
  /** The limits that were given for this turn; null stands for Infinity. */
  readonly limits?: Readonly<Record<string, number | string | null>>;
  /** The tool choice that was given for this turn; absent for `auto`. */
  readonly toolChoice?: Exclude<ToolChoice, 'auto'>;
  /** The instructions that were given for this turn; absent if there were none. */
  readonly directives?: readonly string[];
  /** The ids of the domains that the options of the turn made active; absent if there were none. */
  readonly use?: readonly string[];
  /** Present if the user reviews the effects of the turn before they are committed. */
  readonly commit?: 'review';
}

/** Where a message comes from that the user did not write. */
export interface MessageSource {
  /** The id of a task: a session of its own, which ended and tells so. */
  readonly task: string;
}

/** The structured output of a turn, which `generate` requested, or the option `output` of a run of an agent. */
export interface StructuredOutput {
  /** The JSON Schema that the answer must fit, with an object as its root. */
  readonly schema: JsonObject;
  /** Present if the agent works with its tools first: the rounds after its answer ask for the output. */
  readonly afterWork?: true;
}

/** A change of the provider in a turn: `from` failed, and the turn went on with `to`. */
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
  /** The previous turn in the conversation; null for the first turn. Turns with the same parent are siblings. */
  readonly parentId: string | null;
  /** The user message. */
  readonly input: Message;
  /** Where the user message comes from; absent if the user wrote it. Then a view draws it as the message of the user. */
  readonly from?: MessageSource;
  readonly rounds: readonly RoundRecord[];
  readonly status: 'running' | TurnStatus;
  /** null while the turn runs. */
  readonly outcome: TurnOutcome | null;
  /** The turn that this turn repeats. */
  readonly retryOf?: string;
  /** The options that were given for this turn; absent if there were none. */
  readonly options?: TurnOptions;
  /**
   * Present for a turn of `generate`, and for a child turn with the option `output`. If the turn completed, the text of its last round is
   * JSON that fits the schema. A turn of `generate` that did not complete is off the path, and has no text.
   */
  readonly structured?: StructuredOutput;
  /** Ids of the domains that were activated in this turn, in order; absent if none were. They stay active in the turns after it. */
  readonly activated?: readonly string[];
  /**
   * Effects of turns that had left the path when this turn started, and that were still in place then. Its user message has a note about
   * them for the model. Absent if there were none.
   */
  readonly stays?: readonly StayingEffect[];
  /** The changes of the provider, in order; absent if there were none. */
  readonly switches?: readonly (ProviderSwitch & {
    /** The round, 1-based. */
    readonly round: number;
  })[];
  /** The marks of compactions inside this turn, oldest first; absent if there are none. */
  readonly compactions?: readonly KeptCompaction[];
  /** The messages that this turn appended to the conversation. */
  readonly messageIds: readonly string[];
  /** Effects that the turn committed. */
  readonly effects: readonly CommittedEffect[];
  /** Effects that were taken back in the review of the turn, in that order; absent if there are none. */
  readonly rejected?: readonly UndoItem[];
  /** Calls that were still running when the turn committed; absent if there were none. */
  readonly unknown?: readonly UndoItem[];
  /** The last undo or redo of the turn that changed an effect; absent before the first. */
  readonly undo?: {
    readonly state: UndoState;
    readonly report: UndoReport;
    /** Present if it was a step of a branch command: `regenerate`, `edit` or `switchTo`. */
    readonly by?: 'branch';
  };
}

/** A turn of an agent that runs inside a call of another turn, from its start on. A view draws it as any other turn. */
export interface ChildTurn extends TurnRecord {
  /** The id of the agent. */
  readonly agent: string;
  /** The title of the agent; absent if it has none. */
  readonly title?: string;
  /** Names the child turn among the child turns of its call. */
  readonly key: string;
  /** Present if the app gave the key. Otherwise the key is the number of the run among the runs of its call. */
  readonly given?: true;
  /** The name of the conversation that it continues; absent for a conversation of its own. */
  readonly thread?: string;
  /** The messages that it appended to the conversation of its thread; present after its end if it has a thread. */
  readonly messages?: readonly Message[];
  /** `idle` after its end. */
  readonly phase: Phase;
  /** Its usage until now, with the usage of its own child turns; null if the provider reported none. */
  readonly usage: UsageReport | null;
  /** What is spent and left of each of its limits. */
  readonly budget: Budget;
  /** Present if its record was shortened after its turn had ended. */
  readonly shortened?: true;
}

/** Returns true if a turn is a `generate` that ended without its output. Such a turn never joins the path. */
export function isSetAside({
  structured,
  status,
}: Partial<Pick<TurnRecord, 'structured' | 'status'>>): boolean {
  return structured !== undefined && status !== 'running' && status !== 'completed';
}

/** Returns true if the user reviews the effects of a turn before they are committed. */
export function isReviewed(turn: Pick<TurnRecord, 'options'> | null): boolean {
  return turn?.options?.commit === 'review';
}

/** Returns the calls of a round, in order; an empty list for undefined. */
export function callsOf(round: RoundRecord | undefined): readonly ToolCallView[] {
  return round?.parts.filter((part) => part.type === 'tool-call') ?? [];
}

/** Returns all calls of a turn, in order, and after each call the calls of its child turns; an empty list for null and undefined. */
export function allCallsOf(turn: Pick<TurnRecord, 'rounds'> | null | undefined): readonly ToolCallView[] {
  return (turn?.rounds ?? [])
    .flatMap(callsOf)
    .flatMap((call) => [call, ...(call.children ?? []).flatMap(allCallsOf)]);
}
