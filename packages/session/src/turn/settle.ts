import type { ErrorCode, Message } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { sentence } from '@banister/provider/internal/errors/sentence';
import { messageOf, toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { unexpectedFailure } from '@banister/provider/internal/errors/unexpected-failure';
import { defined } from '@banister/provider/internal/json/defined';
import * as told from '../conversation/model-words.js';
import { catchError, filter, from, mergeMap, throwError, type MonoTypeOperatorFunction } from 'rxjs';
import { childrenOf } from '../conversation/child-turns.js';
import type { EffectFailure } from '../conversation/failure-reason.js';
import { callsOf, type ToolCallView, type UndoItem, type UndoReport } from '../conversation/turn-record.js';
import { isLimitError } from '../limits/spending.js';
import type { ExtensionRefused } from '../extension/extension-operations.js';
import { movedOf } from '../operations/moved.js';
import type { TurnFact } from '../operations/operation.js';
import type { ReviewedEffect } from '../review/review-operations.js';
import type { RolledBack, TurnEnding } from '../operations/turn-operations.js';
import { textResult } from '../tools/tool-result.js';
import type { Revisions } from '../undo/revisions.js';
import type { CommittedTurn } from '../undo/turn-transaction.js';
import { abandonedError } from './cancellation.js';
import { concat, type Stage } from './concat.js';
import { exchangeOf } from './exchange.js';
import { hooked } from './doors.js';
import type { FoldState } from '../state/session-state.js';
import { ownQuestions, requestedIn } from '../state/round-calls.js';
import { textOfTurn } from '../state/text-of-turn.js';
import { roundCompleted } from './round.js';
import type { Turn } from './turn-context.js';
import { recorded, written } from './written.js';

/**
 * Ends a turn, or lets the turn wait for its model. There are four ways:
 * - `keep`: the model gave its final answer, or the turn stopped. The effects are committed. Then the last messages are appended and the
 *   turn ends, synchronously.
 * - `keepCut`: a limit tripped with `onTrip: 'stop'`, or with `ask` and the user gave no more of it. Open calls get a result, then as
 *   `keep`.
 * - `abandon`: a cancel or a failure. The effects are rolled back, or kept if the cancel requests that. An open review ends, and accepted
 *   effects are kept. The conversation has the completed rounds.
 * - `putDown`: the model failed, and the option `onModelFailure` is `wait`. The turn stops as it stands, without an end.
 *
 * After its first operation `settle` cannot be cancelled. For an interrupted turn, each way continues where the log ends: facts in the log
 * are not emitted again.
 */
export function settle(turn: Turn): MonoTypeOperatorFunction<TurnFact> {
  return (source) =>
    concat(
      source.pipe(emitted(turn)),
      () => closedExtension(turn, 'not-needed'),
      () => {
        // The last checkpoint: all facts were emitted, and the commit has not started.
        turn.cancellation.checkpoint();
        const ending = turn.current().fold.turn!.ending!;
        if (ending.kind === 'interrupted') throw abandonedError();
        return keep(turn, ending);
      },
    ).pipe(
      catchError((thrown: unknown) => {
        const error = unexpectedFailure(thrown);
        turn.parts.children.end(turn.id, error);
        // A call that was approved after a cancel may trip a limit. The turn still ends as cancelled.
        if (isLimitError(error)) turn.cancellation.checkpoint();
        // Without its whole output, a turn of `generate` has no result, so it cannot stop.
        const stops =
          isLimitError(error) && turn.settings.limits.onTrip !== 'fail' && turn.structured === undefined;
        return stops ? concat(keepCut(turn, error)) : throwError(() => error);
      }),
      catchError((thrown: unknown) => {
        const error = toSessionError(thrown, 'undo-failed', 'The turn failed.');
        return concat(isPutDown(turn, error) ? putDown(turn, error) : abandon(turn, error));
      }),
    );
}

/** Emits the facts here, so that a fact that cannot become an operation fails the turn, like any other error of a stage. */
function emitted({ sink }: Turn): MonoTypeOperatorFunction<TurnFact> {
  return filter((fact) => {
    sink.emit(fact);
    return false;
  });
}

/**
 * If the turn was sent with a review, lets the user review the effects. Then commits, and emits the facts that end the turn synchronously.
 */
function keep(turn: Turn, ending: TurnEnding): Stage {
  const { review } = turn.parts;
  return [
    review === null || isCommitting(turn) ? [] : review.decided(ending),
    () => startCommit(turn, ending),
    () => from(commit(turn)).pipe(mergeMap((committed) => endingFacts(turn, committed))),
  ];
}

function isCommitting({ current }: Pick<Turn, 'current'>): boolean {
  return current().fold.turn!.closing === 'commit';
}

function startCommit(turn: Turn, ending: TurnEnding): Stage {
  turn.parts.consent.ended();
  return [isCommitting(turn) ? [] : { type: 'commitStarted', ending }, written(turn)];
}

/** Stops a turn whose limit tripped: closes open requests and calls, and keeps the effects until now. */
function keepCut(turn: Turn, error: AgentSessionError): Stage {
  const { code, message, details } = error;
  const stop = { kind: 'limit', message, limit: { code, details } } as const;
  return [
    () => closingFacts(turn),
    () => openCallFacts(turn, error),
    hooked(turn, ({ unseenAnswer }) => unseenAnswer(turn)),
    keep(turn, { kind: 'stopped', stop }),
  ];
}

/** The codes of failures of a model after which the same request may succeed later. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'network',
  'overloaded',
  'quota',
  'rate-limit',
  'server',
  'interrupted',
]);

/** The codes of failures after which the turn that the user sent waits if child turns have worked in it, because their work is not thrown away. */
const outages: ReadonlySet<ErrorCode> = new Set(['network', 'overloaded', 'quota']);

/** Returns true if a child turn has completed or stopped in the turn that the user sent. */
function hasChildWork({ agent, current }: Turn): boolean {
  const { liveTurn } = current();
  if (agent !== undefined || liveTurn === null) return false;
  return childrenOf(liveTurn).some(({ status }) => status === 'completed' || status === 'stopped');
}

/** Returns true if the turn is to wait for its model: the option requests that, nothing of the turn runs, and its end has not begun. */
function isPutDown(turn: Turn, { code, details }: AgentSessionError): boolean {
  const { settings, current, running, transaction } = turn;
  const waits = settings.waitsForModel ? passing.has(code) : hasChildWork(turn) && outages.has(code);
  if (!waits || details.abandoned === true || running.size > 0) return false;
  // The undo history of the app has failed before the model was asked.
  if (!transaction.isOpened) return false;
  const { fold, liveTurn } = current();
  const { closing, cancel, review } = fold.turn!;
  const hasEnd = closing !== null || cancel !== null || review !== undefined;
  return !hasEnd && callsOf(liveTurn?.rounds.at(-1)).every((call) => call.state !== 'executing');
}

function putDown(turn: Turn, error: AgentSessionError): TurnFact {
  const { host } = turn;
  const data = error.toJSON();
  host.failedWith(data, error);
  host.putDown = turn;
  return { type: 'turnPutDown', error: data };
}

/** Ends a turn that was cancelled or has failed. */
function abandon(turn: Turn, error: AgentSessionError): Stage {
  const cancelled = error.code === 'cancelled';
  const keepEffects = cancelled && turn.cancellation.sideEffects === 'keep';
  const { closing, review } = turn.current().fold.turn!;
  const reviewEnds = cancelled || error.details.abandoned === true;
  const closesReview = reviewEnds && review !== undefined;
  return [
    () => closingFacts(turn),
    // An interrupted rollback goes on, even if a cancel had requested to keep the effects and that failed.
    closing !== 'rollback' && (keepEffects || closesReview)
      ? concat(
          closesReview && !isCommitting(turn) ? turn.parts.review!.closed(keepEffects) : [],
          keepEffectsOnly(turn, cancelled ? null : error),
        ).pipe(
          // The commit failed: the effects are rolled back, and the turn fails.
          catchError((failure: unknown) =>
            concat(rollBack(turn, toSessionError(failure, 'undo-failed', 'The effects could not be kept.'))),
          ),
        )
      : rollBack(turn, cancelled ? null : error),
  ];
}

/**
 * Commits the effects that stay after a cancel, or after the review was abandoned. The last messages of the turn are not appended.
 *
 * @param error null for a cancel
 */
function keepEffectsOnly(turn: Turn, error: AgentSessionError | null): Stage {
  return [
    () => startCommit(turn, { kind: error === null ? 'cancelled' : 'interrupted' }),
    () => from(commit(turn)).pipe(mergeMap((committed) => committedFacts(turn, committed))),
    () => endOfKept(turn, error),
  ];
}

/**
 * Returns the last fact of a turn whose effects were kept. If the end of a review decided about the effects, the fact has the report of the
 * review.
 */
function endOfKept(turn: Turn, error: AgentSessionError | null): TurnFact {
  if (error !== null) return failedFact(turn, error, reviewReport(turn.current()));
  const isKept = turn.cancellation.sideEffects === 'keep';
  return cancelledFact(turn, isKept ? null : reviewReport(turn.current()));
}

/**
 * Returns the report of a review that was ended: the effects that were taken back, and the effects that stay although the user has not
 * accepted them.
 */
function reviewReport({
  liveTurn,
  pendingReview,
}: Pick<FoldState, 'liveTurn' | 'pendingReview'>): UndoReport {
  const { effects = [], rejected = [], unknown = [] } = liveTurn ?? {};
  const open = pendingReview?.effects ?? [];
  const item = ({ toolCallId, toolName, description }: UndoItem) => ({ toolCallId, toolName, description });
  return {
    done: rejected,
    failed: open.flatMap((one) => (one.lost ? [] : [{ ...item(one), ...conflictOf(one) }])),
    irreversible: effects.flatMap((one) => (one.irreversible ? [item(one)] : [])),
    lost: open.flatMap((one) => (one.lost ? [item(one)] : [])),
    unknown,
  };
}

function conflictOf({ conflict, because }: ReviewedEffect): EffectFailure {
  return conflict === undefined
    ? { reason: 'It is still there.', because: { code: 'not-decided' } }
    : defined({ reason: conflict, because });
}

/**
 * Rolls back and ends the turn.
 *
 * @param error null for a cancel
 */
function rollBack(turn: Turn, error: AgentSessionError | null): Stage {
  const terminal = (report: UndoReport) =>
    error === null ? cancelledFact(turn, report) : failedFact(turn, error, report);
  const { closing, report: reported } = turn.current().fold.turn!;
  if (reported !== null) return () => terminal(reported);
  const facts = (rolledBack: RolledBack): readonly TurnFact[] => [rolledBack, terminal(rolledBack.report)];
  return [
    closing === 'rollback' ? [] : { type: 'rollbackStarted' },
    () => (turn.transaction.isUntouched ? [] : recorded(turn)),
    () => {
      const rolledBack = rollback(turn);
      return rolledBack instanceof Promise ? from(rolledBack).pipe(mergeMap(facts)) : facts(rolledBack);
    },
  ];
}

function cancelledFact(turn: Turn, report: UndoReport | null): TurnFact {
  return { type: 'cancelled', ...spent(turn), report };
}

function failedFact(turn: Turn, error: AgentSessionError, report: UndoReport): TurnFact {
  const data = error.toJSON();
  turn.host.failedWith(data, error);
  return { type: 'failed', ...spent(turn), error: data, report };
}

/** Rolls back. If the turn recorded no effect, returns synchronously, so that its end is not delayed by a microtask. */
export function rollback(
  turn: Pick<Turn, 'transaction' | 'revisions' | 'contextCache' | 'readRevisions'>,
): RolledBack | Promise<RolledBack> {
  const { transaction, revisions, contextCache } = turn;
  if (transaction.isUntouched) return { type: 'rolledBack', report: transaction.discard(), moved: {} };
  let start: Revisions = {};
  const expected = () => {
    const before = turn.readRevisions();
    const own = revisions.ownDomains();
    // If only this turn changed a domain, the rollback restores the state that earlier turns made, so their revisions are still valid.
    start = Object.fromEntries(own.map((domain) => [domain, revisions.start[domain] ?? before[domain]!]));
    return revisions.summary().after;
  };
  return transaction.rollback(expected).then(({ report, known }) => {
    contextCache.changed();
    return { type: 'rolledBack', report, moved: movedOf(Object.keys(start), start, known) };
  });
}

/** Commits the effects. Resolves with null if the last owner of the log has already committed the turn. */
async function commit(turn: Turn): Promise<CommittedTurn | null> {
  if (turn.current().fold.turn!.committed) return null;
  try {
    return await turn.transaction.commit();
  } catch (error) {
    throw new AgentSessionError(
      'undo-failed',
      sentence(`The effects could not be committed: ${messageOf(error)}`),
      {
        cause: error,
      },
    );
  }
}

/** Returns the facts after a commit. They are emitted synchronously, so that no reader sees a committed turn that is still running. */
export function endingFacts(turn: Turn, committed: CommittedTurn | null): readonly TurnFact[] {
  const { round, ending } = turn.current().fold.turn!;
  const messages = round?.appended ? [] : exchangeOf(turn);
  const all = [...turnMessages(turn), ...messages];
  const text = textOfTurn(turn.state());
  return [
    ...(messages.length === 0 ? [] : [{ type: 'messagesAppended', messages } as const]),
    ...committedFacts(turn, committed),
    ...(round === null || round.finish === null ? [] : [roundCompleted(turn)]),
    ending?.kind === 'stopped'
      ? { type: 'stopped', ...spent(turn), stop: ending.stop, text, messages: all }
      : { type: 'completed', ...spent(turn), text, messages: all },
  ];
}

function committedFacts(
  { effectsOf, revisions, undoStack }: Turn,
  committed: CommittedTurn | null,
): readonly TurnFact[] {
  if (committed === null) return [];
  const { effects, isUndoable: undoable, unknown, handle } = committed;
  if (undoable && handle !== null) undoStack.keep(effectsOf, handle);
  const redoable = handle?.reapply !== undefined;
  return [{ type: 'committed', effects, unknown, undoable, redoable, ...revisions.summary() }];
}

/** Returns the messages that the turn has appended until now. */
function turnMessages(turn: Turn): readonly Message[] {
  const { conversation, liveTurn } = turn.state();
  const ids = new Set(liveTurn?.messageIds);
  return conversation.messages.slice(-ids.size).filter((message) => ids.has(message.id));
}

function spent({ spending }: Turn) {
  return { usage: spending.usage, rounds: spending.rounds, budget: spending.budget() };
}

/** Returns the fact that closes an open extension request; no fact if none is open. */
function closedExtension(
  { current }: Pick<Turn, 'current'>,
  decision: ExtensionRefused['decision'],
): readonly TurnFact[] {
  const { pendingExtension } = current();
  if (!pendingExtension) return [];
  const { id: requestId, limit } = pendingExtension;
  return [{ type: 'extensionResolved', requestId, limit, decision }];
}

/**
 * Returns the facts that close the open requests of the turn and the calls that waited for the journal, and the fact that appends the user message if it
 * was not appended yet.
 */
export function closingFacts(turn: Turn): readonly TurnFact[] {
  const state = turn.state();
  const unanswered = ownQuestions(state).map((request, index, all): TurnFact => ({
    type: 'confirmationResolved',
    requestId: request.id,
    callId: request.call.id,
    decision: 'cancelled',
    by: 'cancel',
    deadlines: Object.fromEntries(all.slice(index + 1).map((other) => [other.id, other.expiresAt])),
  }));
  const unstarted = [...turn.unstarted].map((callId): TurnFact => ({
    type: 'toolInterrupted',
    callId,
    decision: 'not-started',
    result: textResult('rejected', told.notRecorded),
  }));
  const closing = [...closedExtension(turn, 'cancelled'), ...unanswered, ...unstarted];
  const appended = state.liveTurn?.messageIds.includes(turn.input.id) ?? true;
  return appended ? closing : [...closing, { type: 'messagesAppended', messages: [turn.input] }];
}

/** Returns the facts that give each open call of a batch a result after a limit tripped. */
export function openCallFacts(turn: Turn, { message }: AgentSessionError): readonly TurnFact[] {
  const open = requestedIn(turn.current()).filter((call) => call.state !== 'settled');
  const isCut = ({ state }: ToolCallView) => state === 'executing' || state === 'interrupted';
  const cut = open.filter(isCut);
  const notRun = open.filter((call) => !isCut(call));
  const result = textResult('rejected', told.notRun(message));
  return [
    ...cut.map((call): TurnFact => ({
      type: 'toolFailed',
      callId: call.id,
      outcome: 'timed-out',
      result: textResult('timed-out', told.cutByLimit(message, call.readOnly)),
      budget: turn.spending.budget(),
    })),
    ...(notRun.length === 0
      ? []
      : [
          {
            type: 'toolsRejected',
            calls: notRun.map((call) => ({ callId: call.id, reason: 'not-run', result }) as const),
          } as const,
        ]),
  ];
}
