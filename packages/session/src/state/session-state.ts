import type { Conversation } from '../conversation/message.js';
import {
  callsOf,
  type ToolCallView,
  type TurnOutcome,
  type TurnRecord,
  type UndoItem,
} from '../conversation/turn-record.js';
import type { UsageReport } from '../conversation/usage-report.js';
import type { ErrorData } from '../errors/agent-session-error.js';
import { budgetLine, type Budget } from '../operations/budget.js';
import type { ConfirmationRequest } from '../operations/confirmation-operations.js';
import type { ContextDiagnostic } from '../operations/turn-operations.js';
import type { SchemaWarning } from '../provider/provider.js';
import type { JsonParserState } from './partial-json.js';

/**
 * What the session is doing, one word. `confirming` wins over `executing`; `rolling-back` stands for undo and redo too.
 */
export type Phase =
  | 'idle'
  | 'preparing'
  | 'streaming'
  | 'confirming'
  | 'executing'
  | 'retrying'
  | 'committing'
  | 'cancelling'
  | 'rolling-back';

/** A committed turn, as undo and redo see it; the last one is undone first. */
export interface UndoTurn {
  readonly turnId: string;
  /** The beginning of what the user had asked for. */
  readonly label: string;
  readonly effects: readonly (UndoItem & { readonly irreversible: boolean })[];
  readonly state: 'done' | 'partly-undone' | 'undone' | 'partly-redone';
  readonly undoable: boolean;
  readonly redoable: boolean;
  /** True when some effect of the turn stays, whatever is undone. */
  readonly irreversible: boolean;
}

/** The whole state of a session: plain JSON, folded from operations. */
export interface SessionState {
  readonly isRunning: boolean;
  readonly phase: Phase;
  readonly currentText: string;
  readonly currentThinking: string;
  readonly turns: readonly TurnRecord[];
  readonly liveTurn: TurnRecord | null;
  readonly conversation: Conversation;
  /** Every call of the open round. */
  readonly activeToolCalls: readonly ToolCallView[];
  readonly pendingConfirmations: readonly ConfirmationRequest[];
  readonly lastUsageReport: UsageReport | null;
  readonly budget: Budget;
  readonly lastSchemaWarnings: readonly SchemaWarning[];
  readonly lastContextDiagnostics: readonly ContextDiagnostic[];
  readonly lastOutcome: TurnOutcome | null;
  readonly lastError: ErrorData | null;
  /** Undoable turns, oldest first; undone ones stay until a new turn starts. */
  readonly undoEntries: readonly UndoTurn[];
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

/**
 * Notes that the fold keeps for itself. Part of the state, so that the fold stays a function of state and operation,
 * but of no use to a view.
 */
export interface FoldState extends SessionState {
  readonly fold: {
    /** Whether a round is open, so that its calls are active. */
    readonly roundOpen: boolean;
    /** Phase to return to when the last confirmation is answered. */
    readonly cancelling: boolean;
    /** Whether the answer goes on when the call at hand has its result. */
    readonly innerCall: boolean;
    /** Where the partial reading of each open call stands, by index of the call. */
    readonly parsers: readonly JsonParserState[];
  };
}

const noBudget: Budget = {
  rounds: budgetLine(0, undefined),
  toolCalls: budgetLine(0, undefined),
  timeMs: budgetLine(0, undefined),
  tokens: budgetLine(0, undefined),
  cost: budgetLine(0, undefined),
};

/** The state of a session before its first operation, empty or resumed. */
export function initialState(
  resumed: { readonly conversation?: Conversation; readonly turns?: readonly TurnRecord[] } = {},
): SessionState {
  const { conversation = { messages: [] }, turns = [] } = resumed;
  const last = turns.at(-1)?.outcome ?? null;
  const state: FoldState = {
    isRunning: false,
    phase: 'idle',
    currentText: '',
    currentThinking: '',
    turns,
    liveTurn: null,
    conversation,
    activeToolCalls: [],
    pendingConfirmations: [],
    lastUsageReport: last?.usage ?? null,
    budget: noBudget,
    lastSchemaWarnings: [],
    lastContextDiagnostics: [],
    lastOutcome: last,
    lastError: last?.error ?? null,
    undoEntries: [],
    canUndo: false,
    canRedo: false,
    fold: { roundOpen: false, cancelling: false, innerCall: false, parsers: [] },
  };
  return state;
}

/** The calls of the open round: what `activeToolCalls` holds. Keeps the old list where nothing in it changed. */
export function activeCallsOf(state: FoldState): readonly ToolCallView[] {
  const calls = state.fold.roundOpen ? callsOf(state.liveTurn?.rounds.at(-1)) : [];
  const before = state.activeToolCalls;
  const same = calls.length === before.length && calls.every((call, index) => call === before[index]);
  return same ? before : calls;
}
