import type { TurnPart } from '../conversation/turn-record.js';
import { set, type Change } from './change.js';
import { openPartsPath } from './round-handlers.js';
import type { FoldState } from './session-state.js';

/** Returns the changes that give the open round these parts, and remove its text and its thinking. */
export function withParts(state: FoldState, parts: readonly TurnPart[]): readonly Change[] {
  const round = state.fold.turn?.round ?? null;
  if (round === null) return [];
  return [
    set(openPartsPath(state), parts),
    set(['currentText'], state.currentText.slice(0, round.textStart)),
    set(['currentThinking'], state.currentThinking.slice(0, round.thinkingStart)),
  ];
}
