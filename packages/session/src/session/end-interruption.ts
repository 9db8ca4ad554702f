import { defined } from '@banister/provider/internal/json/defined';
import { nothingUndone, type UndoReport } from '../conversation/turn-record.js';
import { endedTurn } from '../conversation/turn-tree.js';
import type { Decision, ExtensionDecision, RespondOutcome } from '../guards/decision.js';
import { limitsOf } from '../limits/limits-of.js';
import { isTerminal, leafOf, type Operation } from '../operations/operation.js';
import type { TurnResumed } from '../operations/turn-operations.js';
import { foldStateOf, type Interruption } from '../state/session-state.js';
import { resumeTurn } from '../turn/resume-turn.js';
import type { CancelReport, TurnResult } from './agent-session.js';
import { cancelReport } from './cancel-report.js';
import { checkOutputSupport } from '../structured/output-options.js';
import { checkSupport, checkToolCount } from './pre-flight.js';
import { loadedHooks } from '../middleware/middleware-code.js';
import type { PreparedTurn } from './prepared-turn.js';
import { structuredCode } from '../structured/structured-code.js';
import type { TurnRunner } from './turn-runner.js';
import { sendOptions } from './send-options.js';
import { finish, type Hold, type UndoParts } from './undo-command.js';

/** The parts of a session that the end of interrupted work needs. */
export interface InterruptedParts extends UndoParts {
  readonly runner: TurnRunner;
  /** Keeps other commands from beginning. */
  readonly hold: () => Hold;
}

/** Goes on with interrupted work. Throws `unsupported` if the model does not accept the tool choice for a request that follows. */
export function resume(parts: InterruptedParts): Promise<TurnResult | UndoReport> {
  const interrupted = parts.core.current.interrupted!;
  const { at } = interrupted;
  if (at === 'undo' || at === 'redo') return finish(parts, parts.hold, at, interrupted.turnId);
  checkChoice(parts, at);
  const ended = start(parts, interrupted, 'resume');
  return at === 'rollback' ? reportOf(parts, interrupted, ended) : ended;
}

/** Takes back the effects of interrupted work. */
export function abandon(parts: InterruptedParts): Promise<UndoReport> {
  const interrupted = parts.core.current.interrupted!;
  const { at } = interrupted;
  if (at === 'undo' || at === 'redo') return finish(parts, parts.hold, at, interrupted.turnId);
  return reportOf(parts, interrupted, start(parts, interrupted, 'abandon'));
}

/** Abandons interrupted work, and resolves with the report of a cancel. */
export async function cancel(parts: InterruptedParts): Promise<CancelReport> {
  const { core } = parts;
  const { turnId } = core.current.interrupted!;
  await abandon(parts);
  return cancelReport('idle', endedTurn(turnId, foldStateOf(core.state)));
}

/** Goes on with the turn, and settles the request when it is open again. */
export async function respond(
  parts: InterruptedParts,
  requestId: string,
  decision: Decision | ExtensionDecision,
): Promise<RespondOutcome> {
  const { pendingConfirmations, pendingExtension } = parts.core.current;
  const isOpen =
    pendingExtension?.id === requestId ||
    pendingConfirmations.some(({ id, answeredBy }) => id === requestId && answeredBy === 'signal');
  if (!isOpen) return 'already-settled';
  await resumedUntil(parts, (operation) => {
    const leaf = leafOf(operation);
    const isRequest = leaf.type === 'confirmationRequested' || leaf.type === 'extensionRequested';
    return isRequest && leaf.request.id === requestId;
  });
  return parts.host.desk.respond(requestId, decision);
}

/** Goes on with the turn. Resolves when its review is open again, or when the turn has ended. */
export async function reopenReview(parts: InterruptedParts): Promise<void> {
  await resumedUntil(parts, ({ type }) => type === 'reviewOpened');
}

/**
 * Goes on with the turn. Resolves at the first operation that `isIt` accepts, or at the end of the turn. Rejects if the turn goes on in
 * another session, because then no operation arrives here.
 */
async function resumedUntil(parts: InterruptedParts, isIt: (operation: Operation) => boolean): Promise<void> {
  const ended = new AbortController();
  const reached = new Promise<void>((resolve) => {
    const subscription = parts.core.stream.operations$.subscribe({
      next: (operation) => {
        if (isIt(operation) || isTerminal(operation)) resolve();
      },
      // The session was disposed.
      complete: resolve,
    });
    ended.signal.addEventListener('abort', () => subscription.unsubscribe());
  });
  try {
    await Promise.race([reached, resume(parts)]);
  } finally {
    ended.abort();
  }
}

function checkChoice({ core, settings }: InterruptedParts, at: Interruption['at']): void {
  const { options, rounds, structured } = core.current.liveTurn!;
  const { provider } = settings.current;
  // At these places no further request is made.
  const asksModel = at !== 'commit' && at !== 'rollback' && at !== 'review';
  if (structured !== undefined && asksModel) checkOutputSupport(provider);
  const { toolChoice = 'auto' } = options ?? {};
  const asksFirst = rounds.length === 0 || (rounds.length === 1 && at === 'stream');
  if (toolChoice === 'none' || asksFirst) checkSupport(provider, toolChoice);
  if (asksModel) checkToolCount(settings.current, settings.tools);
}

function start(
  parts: InterruptedParts,
  interrupted: Interruption,
  by: TurnResumed['by'],
): Promise<TurnResult> {
  return parts.runner.start({
    ...preparedAgain(parts),
    resumption: { by, run: (turn) => resumeTurn(turn, interrupted, by) },
  });
}

/** Prepares the interrupted turn with the limits from its log and the settings of this session. */
function preparedAgain({ core, runner, settings }: InterruptedParts): PreparedTurn {
  const { liveTurn, fold } = core.current;
  const { id, input, parentId, retryOf, options, structured: requested } = liveTurn!;
  // A turn with structured output has loaded this code before.
  const structured = requested && structuredCode.loaded?.structuredStages(requested, null);
  const { limits, cancel, round } = fold.turn!;
  const hooks = settings.current.hooks ?? (round?.acted ? loadedHooks([]) : null);
  const prepared = runner.prepared(
    { id, input, parentId, retryOf, ...defined({ structured }) },
    { ...settings.current, hooks, limits: limits === null ? settings.current.limits : limitsOf(limits) },
    sendOptions(options),
  );
  if (cancel !== null) prepared.request.cancellation.raise(cancel.level, cancel.sideEffects);
  return prepared;
}

/** Resolves with the report of a turn when the turn has ended. For a committed turn the report is empty. */
async function reportOf(
  { core }: InterruptedParts,
  { turnId }: Interruption,
  ended: Promise<unknown>,
): Promise<UndoReport> {
  const failure = await ended.then(
    () => null,
    (error: unknown) => error,
  );
  const record = endedTurn(turnId, foldStateOf(core.state));
  // The turn has no end because the session was disposed, or another session took over.
  if (record === null) throw failure;
  return record.outcome?.report ?? nothingUndone;
}
