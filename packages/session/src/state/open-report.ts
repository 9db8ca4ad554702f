import { defined } from '@banister/provider/internal/json/defined';
import { allCallsOf, type UndoItem, type UndoReport } from '../conversation/turn-record.js';
import type { CallEffects } from '../conversation/turn-undo.js';
import { unknownCalls } from './interruption.js';
import type { FoldState } from './session-state.js';
import { findTurn } from './tree.js';
import { lostCalls } from './undo-entries.js';
import { effectsOf } from './undo-notes.js';

/**
 * Returns the report of the open turn as if it ended now, from the log; null if no turn is open. A call that may have acted is unknown only
 * if it recorded no effect.
 */
export function openReport(state: FoldState): UndoReport | null {
  const { liveTurn } = state;
  if (liveTurn === null) return null;
  const calls = effectsOf(state, liveTurn.id);
  const recorded = new Set(calls.map(({ callId }) => callId));
  const mayHaveActed = unknownCalls(state);
  const unknown = allCallsOf(liveTurn).filter(({ id }) => mayHaveActed.includes(id) && !recorded.has(id));
  return reportSoFar(
    calls,
    unknown.map(({ id, tool, title = tool }) => ({ toolCallId: id, toolName: tool, description: title })),
  );
}

/** Returns the report of a turn whose effects stay as they are now. */
export function reportSoFar(calls: readonly CallEffects[], unknown: readonly UndoItem[]): UndoReport {
  const lost = lostCalls(calls);
  return {
    done: calls.filter(isReverted).map(itemOf),
    failed: [],
    irreversible: calls.filter((call) => !isReverted(call) && !lost.has(call.callId)).map(itemOf),
    lost: calls.filter(({ callId }) => lost.has(callId)).map(itemOf),
    unknown,
  };
}

/** Returns true if all effects of a call are taken back. */
export function isReverted({ irreversible, steps }: CallEffects): boolean {
  return !irreversible && steps.every(({ state }) => state === 'reverted');
}

/** Returns true if the effects of a call are to stay: the user accepted them in the review of the turn, or the turn committed them. */
export function isAccepted(state: FoldState, turnId: string, callId: string): boolean {
  const { fold, pendingReview } = state;
  const call = effectsOf(state, turnId).find((one) => one.callId === callId);
  if (call === undefined || isReverted(call)) return false;
  const isListed = (effects: readonly Pick<UndoItem, 'toolCallId'>[] = []) =>
    effects.some(({ toolCallId }) => toolCallId === callId);
  return fold.turn?.undo.turnId === turnId
    ? isListed(fold.turn.review?.effects) && !isListed(pendingReview?.effects)
    : isListed(findTurn(state, turnId)?.turn.effects);
}

/** Returns the effects of a call in the form for reports. */
export function itemOf({ callId, tool, child, steps }: CallEffects): UndoItem {
  const description = steps.map((step) => step.description).join('; ');
  return defined({ toolCallId: callId, toolName: tool, description, child });
}
