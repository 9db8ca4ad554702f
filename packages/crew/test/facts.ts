import type { MemoryItem } from '@banister/session';

/** A fact of the user, as a store has it. */
export const fact = (id: string, text: string, more: Partial<MemoryItem> = {}): MemoryItem => ({
  id,
  text,
  source: { by: 'user' },
  at: 1_000,
  changedAt: 1_000,
  revision: 1,
  ...more,
});
