import type { CallEffects, EffectStepData, TurnUndo } from '../conversation/turn-undo.js';
import type { UndoItem } from '../conversation/turn-record.js';
import type { Moved } from '../operations/moved.js';
import { append, set, type Change, type Path } from './change.js';
import { currentUndo, ownMoves } from './own-moves.js';
import type { FoldState } from './session-state.js';
import { newUndoNote, type UndoNote } from './undo-note.js';

/** The part of the state with the effects of turns. */
type WithUndo = Pick<FoldState, 'fold'>;

/** Returns the notes of all turns with effects, including the running turn. */
export function undoNotes({ fold: { undo, turn } }: WithUndo): readonly UndoNote[] {
  return turn === null || turn.undo.undo.calls.length === 0 ? undo : [...undo, turn.undo];
}

/** Returns the note of a turn that is running or has recorded an effect, and its place; undefined for any other turn. */
export function findUndo({ fold }: WithUndo, turnId: string): { note: UndoNote; path: Path } | undefined {
  if (fold.turn?.undo.turnId === turnId) return { note: fold.turn.undo, path: ['fold', 'turn', 'undo'] };
  const index = fold.undo.findLastIndex((note) => note.turnId === turnId);
  return index < 0 ? undefined : { note: fold.undo[index]!, path: ['fold', 'undo', index] };
}

/** Returns the calls of a turn that recorded an effect. */
export function effectsOf(state: WithUndo, turnId: string): readonly CallEffects[] {
  return findUndo(state, turnId)?.note.undo.calls ?? [];
}

/**
 * Returns a function that finds the calls of a turn that recorded an effect. It is meant for many turns of a state that does not change
 * meanwhile.
 *
 * @param changed the calls of turns that are about to change
 */
export function callsIn(
  state: WithUndo,
  changed: Readonly<Record<string, readonly CallEffects[]>> = {},
): (turnId: string) => readonly CallEffects[] {
  const { undo, turn } = state.fold;
  const calls = new Map(Object.entries(changed));
  const note = ({ turnId, undo: { calls: own } }: UndoNote) => {
    if (!calls.has(turnId)) calls.set(turnId, own);
  };
  if (turn !== null) note(turn.undo);
  // Reads from the last note backwards, and only as far as needed, because a session may have thousands of turns.
  let left = undo.length;
  return (turnId) => {
    while (left > 0 && !calls.has(turnId)) note(undo[--left]!);
    return calls.get(turnId) ?? none;
  };
}

const none: readonly CallEffects[] = [];

/** Returns the effects of a turn with the current revisions; undefined for a turn without effects. */
export function undoOf(state: WithUndo, turnId: string): TurnUndo | undefined {
  const found = findUndo(state, turnId);
  return found && currentUndo([found.note], state.fold.moves).get(turnId);
}

/** Returns the changes after the session itself changed domains. */
export function noteMoves(moved: Moved): readonly Change[] {
  return ownMoves(moved).map((move) => append(['fold', 'moves'], move));
}

/** Returns the effects of all turns with the current revisions, by turn id. */
export function allUndo(state: WithUndo): Readonly<Record<string, TurnUndo>> {
  return Object.fromEntries(currentUndo(undoNotes(state), state.fold.moves));
}

/**
 * Returns the changes after a turn was committed, undone or redone.
 *
 * @param change returns the new effects of the turn, with the revisions after the moves
 */
export function noteStep(
  state: WithUndo,
  turnId: string,
  moved: Moved,
  change: (undo: TurnUndo) => TurnUndo,
): readonly Change[] {
  const moves = noteMoves(moved);
  const undo = undoOf(state, turnId);
  if (undo === undefined) return moves;
  const note: UndoNote = { turnId, undo: change(undo), moves: state.fold.moves.length + moves.length };
  return [...moves, set(findUndo(state, turnId)!.path, note)];
}

/** Returns the changes of the calls of a turn that recorded an effect. */
export function noteCalls(
  state: WithUndo,
  turnId: string,
  change: (calls: readonly CallEffects[]) => readonly CallEffects[],
): readonly Change[] {
  const found = findUndo(state, turnId);
  const before = found?.note.undo.calls ?? [];
  const calls = change(before);
  if (calls === before) return [];
  if (found !== undefined) return [set([...found.path, 'undo', 'calls'], calls)];
  const note = newUndoNote(turnId, state.fold.moves.length);
  return [append(['fold', 'undo'], { ...note, undo: { ...note.undo, calls } })];
}

/** Returns the effects of a turn after its undo or redo, with the new revisions and with the new states of the moved calls. */
export function stepped(
  undo: TurnUndo,
  moved: Moved,
  items: readonly UndoItem[],
  state: EffectStepData['state'],
): TurnUndo {
  const after = { ...undo.after };
  for (const domain of undo.domains) {
    const change = moved[domain];
    if (change === undefined) continue;
    if (change.to === undefined) delete after[domain];
    else after[domain] = change.to;
  }
  return { ...undo, after, calls: withCalls(undo.calls, items, state) };
}

/**
 * Returns the calls with the steps of these items in the given state. This is needed because a history may move an effect without its
 * closures.
 */
export function withCalls(
  calls: readonly CallEffects[],
  items: readonly UndoItem[],
  state: EffectStepData['state'],
): readonly CallEffects[] {
  if (items.length === 0) return calls;
  const ids = new Set(items.map((item) => item.toolCallId));
  return calls.map((call) =>
    ids.has(call.callId) && call.steps.some((step) => step.state !== state)
      ? { ...call, steps: call.steps.map((step) => ({ ...step, state })) }
      : call,
  );
}
