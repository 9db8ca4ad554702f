import type { FoldState } from './session-state.js';

/**
 * Returns true if the open round of the running turn asks for its structured output; between two rounds, if the next round does. An agent
 * that works first has to give an answer without calls. If the user steers after that answer, or a middleware withholds the answer, the
 * agent works on.
 */
export function asksOutput({ liveTurn, fold: { turn } }: Pick<FoldState, 'liveTurn' | 'fold'>): boolean {
  const { structured, rounds = [] } = liveTurn ?? {};
  if (!structured?.afterWork) return structured !== undefined;
  const { worked = Infinity, round, askedAgain } = turn!;
  const ended = rounds.length - (round === null ? 0 : 1);
  const isSteered = rounds[worked - 1]?.parts.at(-1)?.type === 'steering';
  return worked <= ended && !isSteered && askedAgain?.round !== worked;
}
