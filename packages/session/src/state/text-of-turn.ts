import type { FoldState } from './session-state.js';

/** Returns the text of the running turn: the text of all rounds; for a `generate`, the JSON text of its output. */
export function textOfTurn({ currentText, liveTurn }: Pick<FoldState, 'currentText' | 'liveTurn'>): string {
  if (liveTurn?.structured === undefined) return currentText;
  const part = liveTurn.rounds.at(-1)?.parts.findLast(({ type }) => type === 'text');
  return part?.type === 'text' ? part.text : '';
}
