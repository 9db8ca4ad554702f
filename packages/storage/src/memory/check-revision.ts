import { AgentSessionError, type MemoryItem } from '@banister/session';

/**
 * Throws `conflict` if a fact is not at the revision that a writer expects.
 *
 * @param expected null if there must be no fact
 */
export function checkRevision(id: string, stored: MemoryItem | undefined, expected: number | null): void {
  const actual = stored?.revision ?? null;
  if (actual === expected) return;
  throw new AgentSessionError('conflict', 'This fact was changed elsewhere.', {
    details: { id, expected, actual },
  });
}
