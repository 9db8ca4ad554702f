import { callsOf, type UndoItem, type UndoReport } from '../conversation/turn-record.js';
import type { CallEffects } from '../conversation/turn-undo.js';
import type { FoldState } from './session-state.js';
import { lostCalls } from './undo-entries.js';
import { effectsOf } from './undo-notes.js';

/** Returns the report of an interrupted turn as if it ended now; null where none is interrupted. */
export function interruptedReport({ interrupted, liveTurn, fold }: FoldState): UndoReport | null {
  if (interrupted === null || liveTurn === null) return null;
  const calls = effectsOf({ fold }, liveTurn.id);
  const lost = lostCalls(calls);
  const isReverted = ({ irreversible, steps }: CallEffects) =>
    !irreversible && steps.every(({ state }) => state === 'reverted');
  const recorded = new Set(calls.map(({ callId }) => callId));
  const unknown = liveTurn.rounds
    .flatMap(callsOf)
    .filter(({ id }) => interrupted.unknown.includes(id) && !recorded.has(id));
  return {
    done: calls.filter(isReverted).map(itemOf),
    failed: [],
    irreversible: calls.filter((call) => !isReverted(call) && !lost.has(call.callId)).map(itemOf),
    lost: calls.filter(({ callId }) => lost.has(callId)).map(itemOf),
    unknown: unknown.map(({ id, tool }) => ({ toolCallId: id, toolName: tool, description: tool })),
  };
}

function itemOf({ callId, tool, steps }: CallEffects): UndoItem {
  const description = steps.map((step) => step.description).join('; ');
  return { toolCallId: callId, toolName: tool, description };
}
