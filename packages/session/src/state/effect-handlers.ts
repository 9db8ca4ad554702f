import { defined } from '@banister/provider/internal/json/defined';
import { textOf } from '@banister/provider/internal/messages/message';
import type { CallEffects } from '../conversation/turn-undo.js';
import { movedOf } from '../operations/moved.js';
import type { OperationOf } from '../operations/operation.js';
import { append, set, type Change } from './change.js';
import type { AllHandlers } from './handlers.js';
import { withReverted } from './reverted-calls.js';
import type { FoldState, UndoTurn } from './session-state.js';
import { findTurn } from './tree.js';
import { noteTurn } from './turn-notes.js';
import { withGroups, withGroupsAfter } from './undo-groups.js';
import { isAny, touchSame } from './in-the-way.js';
import { inWayOf } from './moved-ways.js';
import { lostCalls, withLostMarks } from './undo-entries.js';
import { callsIn, effectsOf, noteCalls, noteMoves, noteStep, withCalls } from './undo-notes.js';

/** Handlers of the commit and the rollback of a turn's effects. */
export const effectHandlers = {
  // In a log of an older release, `unknown` is missing.
  committed: (state, operation) => {
    const { turnId, effects, unknown = [], undoable, redoable } = operation;
    const lost = lostCalls(effectsOf(state, turnId));
    const turn: UndoTurn = {
      turnId,
      label: state.liveTurn === null ? '' : textOf(state.liveTurn.input).slice(0, 80),
      effects: withLostMarks(effects, lost),
      state: 'done',
      undoable,
      redoable,
      irreversible: effects.some((effect) => effect.irreversible),
      lost: lost.size > 0,
    };
    return [
      ...committedEffects(state, operation),
      set(['liveTurn', 'effects'], effects),
      ...(unknown.length === 0 ? [] : [set(['liveTurn', 'unknown'], unknown)]),
      // `canUndo` stays false until the turn has ended.
      ...(effects.length === 0 ? [] : added(state, turn)),
      ...(undoable && effects.length > 0 ? [set(['fold', 'undoable'], true)] : []),
      ...noteTurn(state, () => ({ committed: true })),
    ];
  },

  rolledBack: (state, { turnId, report, moved = {} }) => [
    ...(state.liveTurn === null ? [] : [set(['liveTurn'], withReverted(state.liveTurn, report.done, true))]),
    ...noteMoves(moved),
    ...noteCalls(state, turnId, (calls) => withCalls(withoutValues(calls), report.done, 'reverted')),
    ...noteTurn(state, () => ({ report })),
  ],
} satisfies Partial<AllHandlers>;

/** Returns the changes of `undoEntries` for a new turn, which is in the way of earlier turns that touched the same parts. */
function added(state: FoldState, turn: UndoTurn): readonly Change[] {
  const { undoEntries, liveTurn } = state;
  const calls = callsIn(state);
  const places = turn.undoable ? inWayOf(undoEntries, turn.turnId, calls) : [];
  const all = [...undoEntries, turn];
  const record = liveTurn === null ? undefined : { ...liveTurn, effects: turn.effects };
  const grouped = withGroupsAfter(all, turn.turnId, calls, (id) => findTurn(state, id)?.turn);
  return [
    ...places.map((index) =>
      set(['undoEntries', index, 'inTheWay'], [...(undoEntries[index]!.inTheWay ?? []), turn.turnId]),
    ),
    ...undoEntries.flatMap((entry, index) =>
      grouped[index] === entry ? [] : [set(['undoEntries', index, 'groups'], grouped[index]!.groups)],
    ),
    append(['undoEntries'], withGroups(record, all, undoEntries.length, calls)),
  ];
}

/** Returns the changes of the revisions and effects at a commit. In a log of an older release, the revisions are missing. */
function committedEffects(
  state: FoldState,
  { turnId, undoable, domains = [], before = {}, after = {} }: OperationOf<'committed'>,
): readonly Change[] {
  const advanced = undoable ? domains : Object.keys(before);
  const moved = movedOf(advanced, before, after);
  const rejected = new Set(state.liveTurn?.rejected?.map(({ toolCallId }) => toolCallId));
  // An effect that was taken back in a review is not needed for undo or redo.
  return noteStep(state, turnId, moved, ({ calls: all }) => {
    const shown = withoutValues(all);
    const calls = rejected.size === 0 ? shown : shown.filter(({ callId }) => !rejected.has(callId));
    return defined({ domains, before, after, calls, unlikePath: unlikePath(state, turnId, calls) });
  });
}

/** Returns the value of {@link TurnUndo.unlikePath} for a turn that is being committed. */
function unlikePath(
  state: FoldState,
  turnId: string,
  own: readonly CallEffects[],
): readonly string[] | undefined {
  const unlike = state.undoEntries.filter(
    (entry) => (entry.offPath === true) === (entry.state !== 'undone') && entry.turnId !== turnId,
  );
  if (unlike.length === 0) return undefined;
  const calls = callsIn(state);
  const touched = unlike.filter((entry) => touchSame(calls(entry.turnId), own, isAny));
  return touched.length === 0 ? undefined : touched.map((entry) => entry.turnId);
}

/** Returns calls without the values that were only needed for their review. */
function withoutValues(calls: readonly CallEffects[]): readonly CallEffects[] {
  const hasValues = calls.some(({ steps }) =>
    steps.some(({ before, after }) => before !== undefined || after !== undefined),
  );
  if (!hasValues) return calls;
  return calls.map((call) => ({
    ...call,
    steps: call.steps.map(({ before: _before, after: _after, ...step }) => step),
  }));
}
