import type { TurnRecord, UndoReport } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { defined } from '../json/defined.js';
import type { BranchStep, UndoStarted } from '../operations/session-operations.js';
import { findTurn } from '../state/tree.js';
import { createSharedParts, type SharedRequest } from '../turn/shared-parts.js';
import type { UndoableTurn, UndoStack, UndoStep } from '../undo/undo-stack.js';
import type { UndoOptions } from './agent-session.js';
import type { SessionCore } from './session-core.js';
import type { SessionSettings } from './session-settings.js';

/** The parts of a session that undo and redo use. */
export interface UndoParts extends Omit<SharedRequest, 'current' | 'settings'> {
  readonly core: SessionCore;
  readonly settings: SessionSettings;
}

/** A command that holds others off. */
export interface Hold {
  /** Lets other commands begin, before the promise of this one is settled. */
  release(): void;
  /** Ends the command. */
  end(): void;
}

/**
 * Undoes or redoes a turn. Rejects before any change, see `AgentSession.undo`.
 *
 * @param hold is called when the command begins to change something
 */
export async function undo(
  parts: UndoParts,
  hold: () => Hold,
  direction: 'undo' | 'redo',
  { force = false, turnId }: UndoOptions,
): Promise<UndoReport> {
  const stack = stackOf(parts);
  const turn = turnId === undefined ? stack.next(direction, force) : stack.named(turnId, direction);
  if (!turn) throw nothingTo(direction, turnId);
  stack.checkWay(turn, direction, force);
  if (!force) stack.check(turn, direction);
  const run = stack.prepare(turn, direction);
  return held(hold, (release) => carryOut(parts, { direction, turn, run, release }));
}

/** Ends a command that was interrupted: what it had moved stays moved. A branch command ends with it, and the head stays. */
export async function finish(
  parts: UndoParts,
  hold: () => Hold,
  direction: 'undo' | 'redo',
  turnId: string,
): Promise<UndoReport> {
  const stack = stackOf(parts);
  const turn = stack.find(turnId);
  const branch = parts.core.current.fold.undoing?.branch && (() => 'ends' as const);
  const run = stack.prepareRest(turn, direction);
  return held(hold, (release) => carryOut(parts, { direction, turn, run, release, branch }));
}

/** Holds other commands off while one is carried out. Resolves with its report, or rejects where the journal refused it. */
async function held(hold: () => Hold, run: (release: () => void) => Promise<StepEnd>): Promise<UndoReport> {
  const { release, end } = hold();
  const { report, error } = await run(release).finally(end);
  if (error !== null) throw error;
  return report;
}

/** An undo or a redo that can begin. */
export interface UndoRun {
  readonly direction: 'undo' | 'redo';
  readonly turn: UndoableTurn;
  readonly run: () => Promise<UndoStep>;
  /** Lets other commands begin. Is called before the last operation, whose subscribers may give the next command. */
  readonly release: () => void;
  /** Present for a step of a branch command: returns whether another one follows, or the move of the head. */
  readonly branch?: ((report: UndoReport) => BranchStep) | undefined;
}

/** An undo or a redo that has ended. */
export interface StepEnd {
  readonly report: UndoReport;
  /** The error with which the journal refused it; else null. */
  readonly error: AgentSessionError | null;
}

/** Undoes or redoes a turn, between the operations of its start and of its end. The journal has the first before an effect is moved. */
export async function carryOut(
  parts: UndoParts,
  { direction, turn, run, release, branch }: UndoRun,
): Promise<StepEnd> {
  const { core } = parts;
  const { turnId: target } = turn;
  core.emitSession(
    defined({ type: `${direction}Started`, target, branch: branch && (true as const) }) as UndoStarted,
  );
  const writing = core.journal?.barrier();
  const refusal = writing ? await refusalOf(writing) : null;
  const { report, redoable, moved } =
    refusal === null ? await run() : stackOf(parts).refused(turn, direction, effectsOf(core, turn), refusal);
  const step = branch?.(report);
  if (step !== 'goes-on') release();
  core.emitSession(
    direction === 'undo'
      ? defined({ type: 'undone', target, report, redoable, moved, branch: step })
      : defined({ type: 'redone', target, report, moved, branch: step }),
  );
  return { report, error: refusal ?? core.journal?.fencedBy ?? null };
}

/** Returns the stack of the session; the first turn, or else the first undo, creates it. */
export function stackOf({ core, settings, host, ...parts }: UndoParts): UndoStack {
  host.shared ??= createSharedParts({
    ...parts,
    host,
    current: () => core.current,
    settings: settings.current,
  });
  return host.shared.undoStack;
}

function effectsOf(core: SessionCore, { turnId }: UndoableTurn): TurnRecord['effects'] {
  return findTurn(core.current, turnId)?.turn.effects ?? [];
}

/** Waits for the write before the first revert; returns the error where it is refused, else null. */
function refusalOf(writing: Promise<void>): Promise<AgentSessionError | null> {
  return writing.then(
    () => null,
    (error: AgentSessionError) => error,
  );
}

function nothingTo(direction: 'undo' | 'redo', turnId: string | undefined): AgentSessionError {
  const what =
    turnId === undefined ? `There is nothing to ${direction}.` : `This turn has nothing to ${direction}.`;
  return new AgentSessionError('nothing-to-undo', what);
}

/**
 * Clears redo where the app or the user changed a domain of turns that were undone.
 *
 * @param isReport whether the domain reported it: where it has a revision which is as the session left it, the change was none
 */
export function touch(parts: UndoParts, domain: string, isReport: boolean): void {
  const stack = stackOf(parts);
  if (!stack.isOpenIn(domain)) return;
  if (isReport && !stack.isChanged(domain)) return;
  parts.core.emitSession({ type: 'domainTouched', domain });
}
