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
  /** `waiting`: complete, being decided, or approved and not yet started. */
  readonly state: 'assembling' | 'waiting' | 'executing' | 'settled';
  readonly argumentsText: string;
  /** The best reading of the arguments so far; undefined until something can be read. Final once `waiting`. */
  readonly arguments?: JsonValue;
  /** The arguments that really ran, where the user edited them. */
  readonly ranWith?: JsonObject;
  /** What the tool reported last, objects merged field by field. */
  readonly progress?: JsonValue;
  readonly result?: ToolResult;
  /** Why it never ran, where it was settled without. */
  readonly rejection?: RejectionReason;
  /** True when the call's effect was taken back, by a rollback or by undo. */
  readonly reverted?: boolean;
  /** Set when the tool answered after its call had been cut, by a cancel or a timeout. */
  readonly late?: LateSettlement;
}

/** Why a call never ran: `denied` by a guard, `declined` by the user. */
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

/** How a tool ended that nobody waited for any more. */
export interface LateSettlement {
  readonly outcome: 'succeeded' | 'failed';
  /** The fate of its effect: taken back, not possible, failed, or there was none to take back. */
  readonly effect: 'reverted' | 'irreversible' | 'revert-failed' | 'none';
  /** The effect in the words of the tool; absent where it noted none. */
  readonly description?: string;
}

/** What a round consists of, in the order of arrival. */
export type TurnPart = TextPart | ThinkingPart | OpaquePart | ToolCallView;

/** One provider round trip of a turn. */
export interface RoundRecord {
  readonly parts: readonly TurnPart[];
}

/** One effect of a turn, as the undo transaction knows it. */
export interface UndoItem {
  readonly toolCallId: string;
  /** `domain.tool` */
  readonly toolName: string;
  /** The effect in words for the user; the name of the tool where it gave none. */
  readonly description: string;
}

/** The result of a rollback, an undo or a redo. Nothing is ever called done that was not. */
export interface UndoReport {
  readonly done: readonly UndoItem[];
  /** Still in effect although it should not be: the revert failed, hung, or would have overwritten the user's edit. */
  readonly failed: readonly (UndoItem & { readonly reason: string })[];
  /** Still in effect: it cannot be taken back. */
  readonly irreversible: readonly UndoItem[];
  /** Calls that were still running when the turn ended: they may or may not have taken effect. */
  readonly unknown: readonly UndoItem[];
}

/** Why a turn stopped before the model was done. */
export interface StopReason {
  /** `tool`: a tool asked for it. `limit`: a limit tripped with `onTrip: 'stop'`. The rest is the provider's word. */
  readonly kind: 'tool' | 'limit' | 'length' | 'refusal' | 'content-filter' | 'approval';
  /** In words for the user. */
  readonly message: string;
}

export type TurnStatus = 'completed' | 'stopped' | 'cancelled' | 'failed';

/** How a turn ended. */
export interface TurnOutcome {
  readonly status: TurnStatus;
  readonly usage: UsageReport | null;
  readonly rounds: number;
  /** Set when the turn stopped. */
  readonly stop?: StopReason;
  /** What the rollback did; absent when nothing was rolled back. */
  readonly report?: UndoReport;
  /** Set when the turn failed. */
  readonly error?: ErrorData;
}

/** How far a turn was undone, or done again. */
export type UndoState = 'undone' | 'partly-undone' | 'redone' | 'partly-redone';

/** One turn, as a view shows it. */
export interface TurnRecord {
  readonly id: string;
  /** The user message. */
  readonly input: Message;
  readonly rounds: readonly RoundRecord[];
  readonly status: 'running' | TurnStatus;
  /** null while the turn runs. */
  readonly outcome: TurnOutcome | null;
  /** The turn that this one repeats. */
  readonly retryOf?: string;
  /** The messages that this turn appended to the conversation. */
  readonly messageIds: readonly string[];
  /** Effects that the turn committed. */
  readonly effects: readonly (UndoItem & { readonly irreversible: boolean })[];
  /** Calls that were still running when the turn committed; absent when there were none. */
  readonly unknown?: readonly UndoItem[];
  /** The last undo or redo of the turn that changed something. */
  readonly undo?: { readonly state: UndoState; readonly report: UndoReport };
}

/** The calls of a round, in order. */
export function callsOf(round: RoundRecord | undefined): readonly ToolCallView[] {
  return round?.parts.filter((part) => part.type === 'tool-call') ?? [];
}
