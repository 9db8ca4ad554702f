import type { TurnRecord, UndoReport } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
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
  const turn = stack.next(direction);
  if (!turn) throw new AgentSessionError('nothing-to-undo', `There is nothing to ${direction}.`);
  if (turnId !== undefined) assertNewest(turnId, turn, stack);
  if (!force) stack.check(turn, direction);
  return carryOut(parts, hold, direction, turn, stack.prepare(turn, direction));
}

/** Ends a command that was interrupted: what it had moved stays moved. */
export async function finish(
  parts: UndoParts,
  hold: () => Hold,
  direction: 'undo' | 'redo',
  turnId: string,
): Promise<UndoReport> {
  const stack = stackOf(parts);
  const turn = stack.find(turnId);
  return carryOut(parts, hold, direction, turn, stack.prepareRest(turn, direction));
}

async function carryOut(
  parts: UndoParts,
  hold: () => Hold,
  direction: 'undo' | 'redo',
  turn: UndoableTurn,
  step: () => Promise<UndoStep>,
): Promise<UndoReport> {
  const { core } = parts;
  const held = hold();
  core.emitSession({ type: `${direction}Started`, target: turn.turnId });
  const writing = core.journal?.barrier();
  const refusal = writing ? await refusalOf(writing) : null;
  const { report, redoable, moved } =
    refusal === null ? await step() : stackOf(parts).refused(turn, direction, effectsOf(core, turn), refusal);
  // Before the last operation: its subscribers may give the next command.
  held.release();
  if (direction === 'undo')
    core.emitSession({ type: 'undone', target: turn.turnId, report, redoable, moved });
  else core.emitSession({ type: 'redone', target: turn.turnId, report, moved });
  held.end();
  const error = refusal ?? core.journal?.fencedBy;
  if (error) throw error;
  return report;
}

/** Returns the stack of the session; the first turn, or else the first undo, creates it. */
function stackOf({ core, settings, host, ...parts }: UndoParts): UndoStack {
  host.shared ??= createSharedParts({
    ...parts,
    host,
    current: () => core.current,
    settings: settings.current,
  });
  return host.shared.undoStack;
}

function effectsOf(core: SessionCore, { turnId }: UndoableTurn): TurnRecord['effects'] {
  return core.state.turns.find((turn) => turn.id === turnId)?.effects ?? [];
}

/** Waits for the write before the first revert; returns the error where it is refused, else null. */
function refusalOf(writing: Promise<void>): Promise<AgentSessionError | null> {
  return writing.then(
    () => null,
    (error: AgentSessionError) => error,
  );
}

/** Throws `conflict` or `nothing-to-undo` unless the turn is the next to be undone. */
function assertNewest(turnId: string, { turnId: newest }: UndoableTurn, stack: UndoStack): void {
  if (turnId === newest) return;
  if (!stack.has(turnId))
    throw new AgentSessionError('nothing-to-undo', 'This turn has nothing that can be undone.');
  throw new AgentSessionError('conflict', 'A newer turn changed something; it has to be undone first.', {
    details: { newest },
  });
}
