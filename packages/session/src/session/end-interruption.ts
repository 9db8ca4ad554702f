import type { UndoReport } from '../conversation/turn-record.js';
import type { Decision, RespondOutcome } from '../guards/confirmation.js';
import { isTerminal } from '../operations/operation.js';
import type { TurnResumed } from '../operations/turn-operations.js';
import type { Interruption } from '../state/session-state.js';
import { resumeTurn } from '../turn/resume-turn.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { TurnResult } from './agent-session.js';
import type { SessionCore } from './session-core.js';
import type { TurnRunner } from './turn-runner.js';
import type { UndoCommands } from './undo-commands.js';

/** The parts of a session that end interrupted work. */
export interface InterruptedParts {
  readonly core: SessionCore;
  readonly host: TurnHost;
  readonly runner: TurnRunner;
  readonly undo: UndoCommands;
}

/** Goes on with interrupted work. */
export function resume(parts: InterruptedParts): Promise<TurnResult | UndoReport> {
  const interrupted = parts.core.current.interrupted!;
  const { at } = interrupted;
  if (at === 'undo' || at === 'redo') return parts.undo.finish(at, interrupted.turnId);
  const ended = start(parts, interrupted, 'resume');
  return at === 'rollback' ? reportOf(parts, interrupted, ended) : ended;
}

/** Takes interrupted work back. */
export function abandon(parts: InterruptedParts): Promise<UndoReport> {
  const interrupted = parts.core.current.interrupted!;
  const { at } = interrupted;
  if (at === 'undo' || at === 'redo') return parts.undo.finish(at, interrupted.turnId);
  return reportOf(parts, interrupted, start(parts, interrupted, 'abandon'));
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
  { runner }: InterruptedParts,
  interrupted: Interruption,
  by: TurnResumed['by'],
): Promise<TurnResult> {
  return runner.start(runner.prepareResumed({ by, run: (turn) => resumeTurn(turn, interrupted, by) }));
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
  return record.outcome?.report ?? { done: [], failed: [], irreversible: [], lost: [], unknown: [] };
}
