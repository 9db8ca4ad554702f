import { nothingUndone, type UndoReport } from '../conversation/turn-record.js';
import type { Decision, RespondOutcome } from '../guards/confirmation.js';
import { limitsOf } from '../limits/limits-of.js';
import { isTerminal } from '../operations/operation.js';
import type { TurnResumed } from '../operations/turn-operations.js';
import type { Interruption } from '../state/session-state.js';
import { resumeTurn } from '../turn/resume-turn.js';
import { createTurn } from '../turn/turn-context.js';
import type { CancelReport, TurnResult } from './agent-session.js';
import { cancelReport } from './cancel-report.js';
import type { PreparedTurn } from './prepared-turn.js';
import type { TurnRunner } from './turn-runner.js';
import { finish, type Hold, type UndoParts } from './undo-command.js';

/** The parts of a session that end interrupted work. */
export interface InterruptedParts extends UndoParts {
  readonly runner: TurnRunner;
  /** Holds other commands off. */
  readonly hold: () => Hold;
}

/** Goes on with interrupted work. */
export function resume(parts: InterruptedParts): Promise<TurnResult | UndoReport> {
  const interrupted = parts.core.current.interrupted!;
  const { at } = interrupted;
  if (at === 'undo' || at === 'redo') return finish(parts, parts.hold, at, interrupted.turnId);
  const ended = start(parts, interrupted, 'resume');
  return at === 'rollback' ? reportOf(parts, interrupted, ended) : ended;
}

/** Takes interrupted work back. */
export function abandon(parts: InterruptedParts): Promise<UndoReport> {
  const interrupted = parts.core.current.interrupted!;
  const { at } = interrupted;
  if (at === 'undo' || at === 'redo') return finish(parts, parts.hold, at, interrupted.turnId);
  return reportOf(parts, interrupted, start(parts, interrupted, 'abandon'));
}

/** Takes interrupted work back, as a cancel that resolves with its report. */
export async function cancel(parts: InterruptedParts): Promise<CancelReport> {
  const { core } = parts;
  const { turnId } = core.current.interrupted!;
  await abandon(parts);
  return cancelReport('idle', core.state.turns.findLast((turn) => turn.id === turnId) ?? null);
}

/** Goes on with the turn, and settles the request once it is open again. */
export async function respond(
  parts: InterruptedParts,
  requestId: string,
  decision: Decision,
): Promise<RespondOutcome> {
  const { core, host } = parts;
  const isOpen = core.current.pendingConfirmations.some(
    ({ id, answeredBy }) => id === requestId && answeredBy === 'signal',
  );
  if (!isOpen) return 'already-settled';
  const opened = new Promise<void>((resolve) => {
    const subscription = core.stream.operations$.subscribe((operation) => {
      const isAsked = operation.type === 'confirmationRequested' && operation.request.id === requestId;
      if (!isAsked && !isTerminal(operation)) return;
      subscription.unsubscribe();
      resolve();
    });
  });
  resume(parts).catch(() => {});
  await opened;
  return host.desk?.respond(requestId, decision) ?? 'already-settled';
}

function start(
  parts: InterruptedParts,
  interrupted: Interruption,
  by: TurnResumed['by'],
): Promise<TurnResult> {
  return parts.runner.start({
    ...preparedAgain(parts),
    resumption: { by, create: createTurn, run: (turn) => resumeTurn(turn, interrupted, by) },
  });
}

/** Prepares the interrupted turn, with the limits of its log and the settings of this session. */
function preparedAgain({ core, runner, settings }: InterruptedParts): PreparedTurn {
  const { liveTurn, fold } = core.current;
  const { id, input, parentId, retryOf } = liveTurn!;
  const { limits, cancel } = fold.turn!;
  const prepared = runner.prepared(
    { id, input, parentId, retryOf },
    { ...settings.current, limits: limitsOf(limits) },
    {},
  );
  if (cancel !== null) prepared.request.cancellation.raise(cancel.level, cancel.sideEffects);
  return prepared;
}

/** Resolves with the report of a turn when it has ended; with an empty one for a turn that was committed. */
async function reportOf(
  { core }: InterruptedParts,
  { turnId }: Interruption,
  ended: Promise<unknown>,
): Promise<UndoReport> {
  const failure = await ended.then(
    () => null,
    (error: unknown) => error,
  );
  const record = core.state.turns.findLast((turn) => turn.id === turnId);
  // Without an end, the session was disposed, or another one took over.
  if (record === undefined) throw failure;
  return record.outcome?.report ?? nothingUndone;
}
