import { defined } from '@banister/provider/internal/json/defined';
import { textOf } from '@banister/provider/internal/messages/message';
import type { CallEffects, TurnUndo } from '../conversation/turn-undo.js';
import { allTurns } from '../conversation/turn-tree.js';
import type { StepRef } from '../operations/session-operations.js';
import { set, type Change } from './change.js';
import type { UndoNote } from './undo-note.js';
import type { FoldState, UndoTurn } from './session-state.js';
import { withWays } from './in-the-way.js';
import { lostCalls, withLostMarks, withUndoEntries } from './undo-entries.js';
import { withGroups } from './undo-groups.js';

/**
 * Returns the changes when another session takes over the log. Effects in place that this session cannot take back become `lost`. Reverted
 * effects that it cannot take back cannot be made again either.
 *
 * @param revertible the effects that this session can take back
 */
export function ownerChanges(state: FoldState, revertible: readonly StepRef[]): readonly Change[] {
  const refs = new Map(revertible.map((ref) => [keyOf(ref), ref]));
  const taken = (note: UndoNote): UndoNote => ({ ...note, undo: withLost(note.undo, refs) });
  const undo = state.fold.undo.map(taken);
  const running = state.fold.turn === null ? [] : [taken(state.fold.turn.undo)];
  const known = new Map([...undo, ...running].map((note) => [note.turnId, note.undo.calls]));
  const calls = (turnId: string) => known.get(turnId) ?? [];
  const turns = new Map(allTurns(state.turns, state.fold.aside).map((turn) => [turn.id, turn]));
  const entries = withWays(
    state.undoEntries.map((entry) => bound(entry, known.get(entry.turnId), refs)),
    calls,
  );
  return [
    set(['fold', 'undo'], undo),
    ...running.map((note) => set(['fold', 'turn', 'undo'], note)),
    ...withUndoEntries(
      entries.map((entry, index) =>
        // The groups of a turn whose undo or redo was interrupted change when the undo or redo is finished.
        entry.turnId === state.fold.undoing?.target
          ? entry
          : withGroups(turns.get(entry.turnId), entries, index, calls),
      ),
    ),
  ];
}

/** Returns the entries of saved turns in the order of undo. */
export function savedEntries({ turns, fold }: FoldState): readonly UndoTurn[] {
  const all = allTurns(turns, fold.aside);
  const aside = new Set(fold.aside.map(({ turn }) => turn));
  const newestInForce = all.findLastIndex(({ undo }) => undo?.state !== 'undone');
  const recorded = new Set(fold.undo.map(({ turnId }) => turnId));
  return all.flatMap((turn, index) => {
    if (turn.effects.length === 0 || !recorded.has(turn.id)) return [];
    const state = turn.undo === undefined || turn.undo.state === 'redone' ? 'done' : turn.undo.state;
    const { id: turnId, input, effects, undo } = turn;
    const by = state === 'done' ? undefined : undo?.by;
    const isNewest = index >= newestInForce;
    const canBeMadeAgain = state === 'done' ? isNewest : fold.redo.includes(turn.id);
    if (state === 'undone' && by === undefined && !canBeMadeAgain) return [];
    const irreversible = effects.some((effect) => effect.irreversible);
    const label = textOf(input).slice(0, 80);
    return [
      defined({
        turnId,
        label,
        effects,
        state,
        undoable: true,
        redoable: by === undefined && canBeMadeAgain,
        irreversible,
        lost: false,
        offPath: aside.has(turn) ? (true as const) : undefined,
        by,
      }),
    ];
  });
}

/** The effects that a session can take back, by key. */
type Revertible = ReadonlyMap<string, StepRef>;

function withLost(turn: TurnUndo, revertible: Revertible): TurnUndo {
  const calls = turn.calls.map((call) => ({
    ...call,
    steps: call.steps.map((step) => {
      const ref = revertible.get(keyOf({ callId: call.callId, step: step.step }));
      const described = ref?.description === undefined ? step : { ...step, description: ref.description };
      if (step.irreversible || step.state === 'reverted') return described;
      return { ...described, state: ref === undefined ? ('lost' as const) : ('in-effect' as const) };
    }),
  }));
  return { ...turn, calls };
}

/** Returns the entry of a turn for the session that has taken over the log. */
function bound(entry: UndoTurn, calls: readonly CallEffects[] | undefined, revertible: Revertible): UndoTurn {
  const lost = lostCalls(calls ?? []);
  const canReapply = (calls ?? []).every(({ callId, steps }) =>
    steps.every(({ step, state }) => state !== 'reverted' || revertible.has(keyOf({ callId, step }))),
  );
  const known = new Map(
    calls?.flatMap(({ callId, steps }) => {
      const refs = steps.flatMap(({ step }) => revertible.get(keyOf({ callId, step })) ?? []);
      const isOther = refs.some(({ description }) => description !== undefined);
      const words = isOther ? { description: steps.map(({ description }) => description).join('; ') } : {};
      return refs.length === 0 ? [] : [[callId, words] as const];
    }),
  );
  const effects = withLostMarks(entry.effects, lost).map((one) => ({ ...one, ...known.get(one.toolCallId) }));
  return {
    ...entry,
    effects,
    undoable: effects.some((one) => !one.irreversible && !one.lost && known.has(one.toolCallId)),
    redoable: entry.redoable && canReapply,
    lost: lost.size > 0,
  };
}

function keyOf({ callId, step }: StepRef): string {
  return `${callId} ${step}`;
}
