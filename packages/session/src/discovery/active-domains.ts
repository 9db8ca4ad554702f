import type { FoldState } from '../state/session-state.js';

/** Returns the ids of the domains that were activated on the path to the head, newest first, without duplicates. */
export function activatedOnPath({
  turns,
  liveTurn,
}: Pick<FoldState, 'turns' | 'liveTurn'>): readonly string[] {
  const path = liveTurn === null ? turns : [...turns, liveTurn];
  return [...new Set(path.flatMap(({ activated = [] }) => activated).reverse())];
}
