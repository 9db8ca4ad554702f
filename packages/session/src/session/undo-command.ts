import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import type { UndoReport } from '../conversation/turn-record.js';
import type { BranchStep, UndoStarted } from '../operations/session-operations.js';
import { createSharedParts, type SharedRequest } from '../turn/shared-parts.js';
import type { UndoableTurn, UndoStack, UndoStep } from '../undo/undo-stack.js';
import type { UndoOptions } from './agent-session.js';
import type { SessionCore } from './session-core.js';
import type { SessionSettings } from './session-settings.js';

/** The parts of a session that undo and redo need. */
export interface UndoParts extends Omit<SharedRequest, 'current' | 'settings'> {
  readonly core: SessionCore;
  readonly settings: SessionSettings;
}

/** Keeps other commands from beginning while one command runs. */
export interface Hold {
  /** Lets other commands begin, before the promise of this command settles. */
  release(): void;
  /** Ends the command. */
  end(): void;
}

/**
 * Undoes or redoes a turn. Rejects before any change, see `AgentSession.undo`.
 *
 * @param hold called when the command begins to change something
 */
export async function undo(
  parts: UndoParts,
  hold: () => Hold,
  direction: 'undo' | 'redo',
  { force = false, turnId, child }: UndoOptions,
): Promise<UndoReport> {
  const stack = stackOf(parts);
  const turn =
    child !== undefined
      ? stack.part(turnId ?? '', child, direction)
      : turnId === undefined
        ? stack.next(direction, force)
        : stack.named(turnId, direction);
  if (!turn) throw nothingTo(direction, child === undefined ? turnId && 'turn' : 'child turn');
  stack.checkWay(turn, direction, force);
  if (!force) stack.check(turn, direction);
  const run = stack.prepare(turn, direction);
  return whileHolding(hold, (release) => carryOut(parts, { direction, turn, run, release }));
}

/**
 * Finishes an interrupted undo or redo. Effects that it had moved stay moved. If the undo or redo was a step of a branch command, the
 * branch command ends too, and the head does not move.
 */
export async function finish(
  parts: UndoParts,
  hold: () => Hold,
  direction: 'undo' | 'redo',
  turnId: string,
): Promise<UndoReport> {
  const stack = stackOf(parts);
  const { undoing } = parts.core.current.fold;
  const turn = stack.find(turnId, undoing?.child);
  const branch = undoing?.branch && (() => 'ends' as const);
  const run = stack.prepareRest(turn, direction);
  return whileHolding(hold, (release) => carryOut(parts, { direction, turn, run, release, branch }));
}

/** Runs an undo or a redo while other commands cannot begin. Resolves with its report; rejects if the journal refused the command. */
async function whileHolding(
  hold: () => Hold,
  run: (release: () => void) => Promise<StepEnd>,
): Promise<UndoReport> {
  const { release, end } = hold();
  const { report, error } = await run(release).finally(end);
  if (error !== null) throw error;
  return report;
}

/** An undo or a redo that is ready to run. */
interface UndoRun {
  readonly direction: 'undo' | 'redo';
  readonly turn: UndoableTurn;
  readonly run: () => Promise<UndoStep>;
  /** Lets other commands begin. Called before the last operation, whose subscribers may call the next command. */
  readonly release: () => void;
  /** Present for a step of a branch command. Returns 'goes-on' if another step follows, and 'ends' if not. */
  readonly branch?: ((report: UndoReport) => BranchStep) | undefined;
}

/** The result of an undo or a redo that has ended. */
export interface StepEnd {
  readonly report: UndoReport;
  /** The error with which the journal refused the command; null if it did not. */
  readonly error: AgentSessionError | null;
}

/**
 * Undoes or redoes a turn. Emits an operation at the start and at the end. No effect moves before the journal has stored the operation of
 * the start.
 */
export async function carryOut(
  parts: UndoParts,
  { direction, turn, run, release, branch }: UndoRun,
): Promise<StepEnd> {
  const { core } = parts;
  const { turnId: target, child } = turn;
  const type = `${direction}Started` as const;
  core.emitSession(defined({ type, target, branch: branch && (true as const), child }) as UndoStarted);
  const writing = core.journal?.barrier();
  const refusal = writing ? await refusalOf(writing) : null;
  const { report, redoable, moved } =
    refusal === null ? await run() : stackOf(parts).refused(turn, direction, refusal);
  const step = branch?.(report);
  if (step !== 'goes-on') release();
  core.emitSession(
    direction === 'undo'
      ? defined({ type: 'undone', target, report, redoable, moved, branch: step, child })
      : defined({ type: 'redone', target, report, moved, branch: step, child }),
  );
  return { report, error: refusal ?? core.journal?.fencedBy ?? null };
}

/** Returns the undo stack of the session. The first turn creates the stack, or the first undo if no turn has run. */
export function stackOf({ core, settings, host, ...parts }: UndoParts): UndoStack {
  host.shared ??= createSharedParts({
    ...parts,
    host,
    current: () => core.current,
    settings: settings.current,
  });
  return host.shared.undoStack;
}

/** Resolves with the error if the write is refused, and with null if it succeeds. */
function refusalOf(writing: Promise<void>): Promise<AgentSessionError | null> {
  return writing.then(
    () => null,
    (error: AgentSessionError) => error,
  );
}

function nothingTo(direction: 'undo' | 'redo', what: string | undefined): AgentSessionError {
  const message = what ? `This ${what} has nothing to ${direction}.` : `There is nothing to ${direction}.`;
  return new AgentSessionError('nothing-to-undo', message);
}

/**
 * Clears redo if the app or the user changed a domain of undone turns.
 *
 * @param isReport whether the domain reported the change. If so, and the revision of the domain is still the one that the session left,
 *   there was no change
 */
export function touch(parts: UndoParts, domain: string, isReport: boolean): void {
  const stack = stackOf(parts);
  if (!stack.isOpenIn(domain)) return;
  if (isReport && !stack.isChanged(domain)) return;
  parts.core.emitSession({ type: 'domainTouched', domain });
}
