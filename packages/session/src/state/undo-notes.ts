import { defined } from '../json/defined.js';
import type { UndoItem } from '../conversation/turn-record.js';
import type { Revisions } from '../conversation/revisions.js';
import type { CallEffects, EffectStepData, TurnUndo } from '../conversation/turn-undo.js';
import type { Moved } from '../operations/moved.js';
import type { FoldState } from './session-state.js';
import { canBeUndone, isTakenBack } from './undo-entries.js';

/** The effects of turns, by the id of the turn. */
export type UndoNotes = FoldState['fold']['undo'];

/** The notes of a turn that recorded no effect yet. */
export const noEffects: TurnUndo = { domains: [], before: {}, after: {}, calls: [] };

/**
 * Returns the notes after the session itself changed domains: turns whose revision was up to date continue with the new one. Without
 * this, the next undo would take the session's own change for one of the user.
 */
export function withMoved({ fold: { undo }, undoEntries }: FoldState, moved: Moved): UndoNotes {
  let notes: Record<string, TurnUndo> | null = null;
  for (const entry of undoEntries) {
    const turn = undo[entry.turnId];
    if (turn === undefined) continue;
    const after = canBeUndone(entry) ? advanced(turn.after, turn.domains, moved) : turn.after;
    const before = isTakenBack(entry) ? advanced(turn.before, turn.domains, moved) : turn.before;
    if (after === turn.after && before === turn.before) continue;
    notes ??= { ...undo };
    notes[entry.turnId] = { ...turn, before, after };
  }
  return notes ?? undo;
}

function advanced(revisions: Revisions, domains: readonly string[], moved: Moved): Revisions {
  let result = revisions;
  for (const domain of domains) {
    const { from, to } = moved[domain] ?? {};
    if (to !== undefined && result[domain] === from) result = { ...result, [domain]: to };
  }
  return result;
}

/** Returns the notes of a turn after its undo or redo: the revisions that it made, and the calls whose effects it moved. */
export function stepped(
  turn: TurnUndo,
  moved: Moved,
  items: readonly UndoItem[],
  state: EffectStepData['state'],
): TurnUndo {
  const { domains, before, after, calls } = turn;
  return {
    domains,
    before: made(before, domains, moved),
    after: made(after, domains, moved),
    calls: withCalls(calls, items, state),
  };
}

/** Returns the revisions that a step made; those of a domain that it did not concern stay. */
function made(revisions: Revisions, domains: readonly string[], moved: Moved): Revisions {
  const all = domains.map((domain) => {
    const change = moved[domain];
    return [domain, change === undefined ? revisions[domain] : change.to] as const;
  });
  return defined(Object.fromEntries(all)) as Revisions;
}

/** Returns the calls with the steps of these items in the given state: a history may move an effect without its closures. */
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
