import type { ErrorData } from '../errors/agent-session-error.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { OpaquePart, TextPart, ThinkingPart, ToolResult } from './content.js';
import type { Message } from './message.js';
import type { UsageReport } from './usage-report.js';

/** A tool call as a view shows it, from its first fragment to its end. */
export interface ToolCallView {
  readonly type: 'tool-call';
  /** The session's id of the call. */
  readonly id: string;
  readonly providerCallId?: string;
  /** `domain.tool` */
  readonly tool: string;
  /** 0-based position among the calls of its round. */
  readonly index: number;
  /**
   * `waiting`: its arguments are complete, and it is being decided, or approved and not yet started. `interrupted`: its session ended
   * while it ran, so that it may or may not have acted.
   */
  readonly state: 'assembling' | 'waiting' | 'executing' | 'interrupted' | 'settled';
  readonly argumentsText: string;
  /** The arguments as far as their text can be parsed; undefined until there is a value. Final once the call is `waiting`. */
  readonly arguments?: JsonValue;
  /** The arguments that the executor got, where the user edited them. */
  readonly ranWith?: JsonObject;
  /** The progress that the tool reported; objects are merged field by field, any other value replaces the one before. */
  readonly progress?: JsonValue;
  readonly result?: ToolResult;
  /** The reason why the call never ran; absent on a call that ran. */
  readonly rejection?: RejectionReason;
  /** True when a rollback or an undo took the call's effect back. */
  readonly reverted?: boolean;
  /** Present when the tool returned after its call had been cut, by a cancel or a timeout. */
  readonly late?: LateSettlement;
}

/** The reason why a call never ran: for example `denied` by a guard, `declined` by the user. */
export type RejectionReason =
  | 'unknown-tool'
  | 'invalid-arguments'
  | 'denied'
  | 'declined'
  | 'confirmation-timeout'
  | 'confirmation-failed'
  | 'cancelled'
  | 'not-run'
  | 'repeated'
  | 'validator-unavailable';

/** The end of a tool whose call had been cut, by a cancel or a timeout. */
export interface LateSettlement {
  readonly outcome: 'succeeded' | 'failed';
  /** The fate of its effect: taken back, cannot be taken back, still there since the revert failed, or there was no effect. */
  readonly effect: 'reverted' | 'irreversible' | 'revert-failed' | 'none';
  /** The effect as the tool described it; absent where the tool recorded none. */
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
  /** The effect in words for the user; the name of the tool where the tool described none. */
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
  readonly failed: readonly (UndoItem & { readonly reason: string })[];
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
  /** `tool`: a tool asked for it. `limit`: a limit tripped with `onTrip: 'stop'`. The others are finish reasons of the provider. */
  readonly kind: 'tool' | 'limit' | 'length' | 'refusal' | 'content-filter' | 'approval';
  /** A sentence for the user. */
  readonly message: string;
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
   * Effects of turns that had left the path when this one started, and were still in place then: its user message carries a note
   * about them for the model. Absent where there were none.
   */
  readonly stays?: readonly StayingEffect[];
  /** The messages that this turn appended to the conversation. */
  readonly messageIds: readonly string[];
  /** Effects that the turn committed. */
  readonly effects: readonly CommittedEffect[];
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

/** Returns the calls of a round, in order; an empty list for undefined. */
export function callsOf(round: RoundRecord | undefined): readonly ToolCallView[] {
  return round?.parts.filter((part) => part.type === 'tool-call') ?? [];
}
