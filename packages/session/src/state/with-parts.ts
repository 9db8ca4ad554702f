import type { TurnPart } from '../conversation/turn-record.js';
import { set, type Change } from './change.js';
import { openPartsPath } from './round-handlers.js';
import type { FoldState } from './session-state.js';

/** Returns the changes with which the open round has these parts, and no text and no thinking any more. */
export function withParts(state: FoldState, parts: readonly TurnPart[]): readonly Change[] {
  const round = state.fold.turn?.round ?? null;
  if (round === null) return [];
  return [
    set(openPartsPath(state), parts),
    set(['currentText'], state.currentText.slice(0, round.textStart)),
    set(['currentThinking'], state.currentThinking.slice(0, round.thinkingStart)),
  ];
}
