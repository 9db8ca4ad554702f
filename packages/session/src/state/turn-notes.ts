import type {
  FinishReason,
  JsonObject,
  Message,
  ModelIdentity,
  SchemaWarning,
  UsageReport,
} from '@banister/provider';
import type { Compaction } from '../conversation/compaction.js';
import type { Revisions } from '../conversation/revisions.js';
import type { UndoReport } from '../conversation/turn-record.js';
import type { CallPreview, ConfirmationRequest } from '../consent/confirmation-operations.js';
import type { ExtendableLimit } from '../extension/extension-operations.js';
import type { MiddlewareActed } from '../middleware/middleware-operations.js';
import type { CancelRequested, ContextDiagnostic, TurnEnding } from '../operations/turn-operations.js';
import type { ReviewedEffect } from '../review/review-operations.js';
import { set, type Change, type Path } from './change.js';
import type { ContextNote } from './context-note.js';
import type { JsonParserState } from './partial-json.js';
import type { Phase } from './phase.js';
import type { UndoNote } from './undo-note.js';
import type { RevisionNotes } from './revision-notes.js';

/**
 * The notes of the fold about the running turn. Together with the rest of the state they are everything that its stages need to go on. The
 * stages read them here, so that a turn can be resumed from its log.
 */
export interface TurnNotes {
  /** The limits from `turnStarted`; null in an imported turn, which uses the limits of the session that goes on. */
  readonly limits: JsonObject | null;
  /** Usage of the ended attempts. */
  readonly finishedUsage: UsageReport | null;
  /** The usage of the turn without the usage of its open child turns. Absent before the first child turn starts. */
  readonly besides?: UsageReport | null;
  /** The open child turns of the turn that the user sent, by id, in the order of their starts. Absent before the first child turn. */
  readonly children?: Readonly<Record<string, ChildNotes>>;
  /** Input tokens of the last request; null until the provider has reported them. */
  readonly lastInputTokens: number | null;
  /** The number of equal calls since another call succeeded, by `callKey`. */
  readonly repeated: Readonly<Record<string, number>>;
  /** null before the first request. */
  readonly revisions: RevisionNotes | null;
  /** The effects of the turn. They join the effects of the other turns when the turn ends. */
  readonly undo: UndoNote;
  /** The open round. */
  readonly round: RoundNotes | null;
  /** Set by the fact that decides it: the end of an answer, or a tool that stops the turn. */
  readonly ending: TurnEnding | null;
  readonly cancel: Pick<CancelRequested, 'level' | 'sideEffects'> | null;
  /** The later of `commitStarted` and `rollbackStarted`; null before the end of the turn. */
  readonly closing: 'commit' | 'rollback' | null;
  /** The report of the rollback, when it has ended. */
  readonly report: UndoReport | null;
  /** Whether the effects were committed. */
  readonly committed: boolean;
  /** The point at which an owner of the log last resumed the turn; null if it was never resumed. */
  readonly resumedAt: string | null;
  /** The round whose answer was withheld and requested again, and the note for the next request. This happens once per turn. */
  readonly askedAgain?: { readonly round: number; readonly note: string };
  /** The last round in which an agent with a structured output gave an answer without calls; absent before, and if it has no work to do first. */
  readonly worked?: number;
  /** The round whose structured output did not fit, its text and its faults, for the next request. This happens once per turn. */
  readonly repair?: { readonly round: number; readonly answer: string; readonly issues: readonly string[] };
  /** The member of a fallback with which the turn goes on; absent if the provider was not changed. */
  readonly member?: { readonly place: number; readonly identity: ModelIdentity };
  /**
   * The round in which the model refused its encrypted reasoning, and the last message without that reasoning. Absent if none was refused.
   */
  readonly unreadable?: { readonly round: number; readonly upTo: string };
  /** How many times a middleware continued the turn; absent if none did. */
  readonly continuations?: number;
  /** The number of rounds in which the model activated domains; absent if it activated none. */
  readonly rebuilds?: number;
  /** The limits of which the user gave more, with the new values. Absent without extensions. */
  readonly allowed?: { readonly [Limit in ExtendableLimit]?: number };
  /** The phase to which the turn returns after an extension request; absent before the first request. */
  readonly phaseBefore?: Phase;
  /** Present after the review of the effects has begun. */
  readonly review?: ReviewNotes;
}

/** The notes of the fold about an open child turn: the fields of the state that it has of its own, beside its record. */
export interface ChildNotes {
  /** The place of its record in the state. */
  readonly place: readonly [string, ...(string | number)[]];
  /** The ids of the child turns, from the outermost to this child turn. */
  readonly path: readonly string[];
  /** The id of the call that runs it. */
  readonly callId: string;
  readonly conversation: { readonly messages: readonly Message[] };
  readonly currentText: string;
  readonly currentThinking: string;
  readonly partialOutput: JsonObject | null;
  readonly contextPressure: number | null;
  readonly lastSchemaWarnings: readonly SchemaWarning[];
  readonly lastContextDiagnostics: readonly ContextDiagnostic[];
  readonly compactions: readonly Compaction[];
  /** As in the notes of any turn, without what all turns of the transaction share. */
  readonly turn: Omit<TurnNotes, 'undo' | 'revisions'>;
  /** The revisions that its model has read. */
  readonly readByModel: Revisions;
  readonly parsers: readonly JsonParserState[];
  readonly innerCall: boolean;
  readonly context: ContextNote;
}

/** The notes of a review. */
export interface ReviewNotes {
  /** The effects under review, decided or not, in the order of their calls. */
  readonly effects: readonly Pick<ReviewedEffect, 'toolCallId' | 'dependents'>[];
  /** Ids of the calls whose effects are being taken back, newest first; null if none are. */
  readonly rejecting: readonly string[] | null;
}

/** The notes of an open round. */
export interface RoundNotes {
  /** The number of the last attempt. */
  readonly attempt: number;
  /** Usage of the round's attempts. */
  readonly usage: UsageReport | null;
  /** The end of the answer; null until the answer is whole. */
  readonly finish: { readonly reason: FinishReason; readonly raw?: string; readonly detail?: string } | null;
  /** Ids of the calls that the model made inside its answer, in order of their start. */
  readonly innerCalls: readonly string[];
  /** Whether the model received a result inside its answer after its last call. */
  readonly answered: boolean;
  /** Ids of the calls that the model made after such a result: each of them starts another message. */
  readonly opensMessage: readonly string[];
  /** Ids of the requested calls whose arguments are not an acceptable JSON object. */
  readonly unparsable: readonly string[];
  /** The calls that the user approved. The value is the edited arguments, or null. */
  readonly approved: Readonly<Record<string, JsonObject | null>>;
  /** The calls that the user declined, or did not answer in time. */
  readonly refused: Readonly<Record<string, Refusal>>;
  /** The calls that the user approved with a preview; absent if there are none. */
  readonly previewed?: Readonly<Record<string, PreviewedNote>>;
  /** Whether the messages of the round were appended to the conversation. */
  readonly appended: boolean;
  /** The lengths of `currentText` and `currentThinking` at the start of the round. */
  readonly textStart: number;
  readonly thinkingStart: number;
  /** The hooks of middleware that ran in this round; absent if none ran. */
  readonly acted?: readonly ActedHook[];
  /** Present if a middleware withheld the answer. */
  readonly withheld?: true;
  /** The note with which a middleware continues the turn after this round; absent if none does. */
  readonly continuation?: string;
  /** The text of structured output until now; absent before the first piece. */
  readonly output?: string;
  /** Present if that text was accepted. */
  readonly accepted?: true;
  /** Present if the model activated domains. It gets their tools with the next request. */
  readonly activated?: true;
  /** Present in a round that comes from an imported file: each of its calls is asked about, unless it was approved here. */
  readonly imported?: true;
}

/** An approved call whose preview is compared again before the call starts. */
interface PreviewedNote {
  readonly question: Pick<ConfirmationRequest, 'guard' | 'reason' | 'because' | 'cost'>;
  /** The approved preview; null if the arguments were edited and the user did not see their preview. */
  readonly preview: CallPreview | null;
  /** Whether the user was asked again. */
  readonly isAgain: boolean;
}

/** As {@link MiddlewareActed}. */
export interface ActedHook extends Pick<MiddlewareActed, 'hook' | 'acts'> {
  readonly calls: readonly string[];
}

/** The decision about a call that must not run. */
interface Refusal {
  readonly decision: 'denied' | 'timed-out' | 'cancelled';
  readonly reason?: string;
}

export const newTurnNotes: Omit<TurnNotes, 'limits' | 'undo'> = {
  finishedUsage: null,
  lastInputTokens: null,
  repeated: {},
  revisions: null,
  round: null,
  ending: null,
  cancel: null,
  closing: null,
  report: null,
  committed: false,
  resumedAt: null,
};

export const newRoundNotes: Omit<RoundNotes, 'textStart' | 'thinkingStart'> = {
  attempt: 0,
  usage: null,
  finish: null,
  innerCalls: [],
  answered: false,
  opensMessage: [],
  unparsable: [],
  approved: {},
  refused: {},
  appended: false,
};

/** Any object with the notes: the state, or the part of it that a stage reads. */
interface Noted {
  readonly fold: { readonly turn: TurnNotes | null };
}

/** Returns the changes of the turn's notes; no changes in a log that begins in the middle of a turn. */
export function noteTurn(state: Noted, patch: (notes: TurnNotes) => Partial<TurnNotes>): readonly Change[] {
  const { turn } = state.fold;
  if (turn === null) return [];
  return setFields(patch(turn), (key) => ['fold', 'turn', key]);
}

/** Returns the changes of the notes of the open round; no changes while no round is open. */
export function noteRound(
  state: Noted,
  patch: (notes: RoundNotes) => Partial<RoundNotes>,
): readonly Change[] {
  const round = state.fold.turn?.round ?? null;
  if (round === null) return [];
  return setFields(patch(round), (key) => ['fold', 'turn', 'round', key]);
}

/** Returns a change for each field. It runs for nearly every operation, and a list of entries would take twice as long as this loop. */
function setFields(fields: object, path: (key: string) => Path): readonly Change[] {
  const changes: Change[] = [];
  for (const key in fields) changes.push(set(path(key), fields[key as keyof typeof fields]));
  return changes;
}

/** Returns the changes of the revisions of the turn; no changes before its first request. */
export function noteRevisions(
  state: Noted,
  change: (notes: RevisionNotes) => RevisionNotes,
): readonly Change[] {
  return noteTurn(state, ({ revisions }) => (revisions === null ? {} : { revisions: change(revisions) }));
}

/** Returns true if a cancel of the turn was requested. Then the phase is `cancelling` again after a confirmation. */
export function isCancelling(state: Noted): boolean {
  return (state.fold.turn?.cancel ?? null) !== null;
}
