import type { MemoryItem, MemoryStore } from '@banister/session';
import { checkRevision } from './check-revision.js';

/**
 * A store of facts in memory: for tests, and for sessions of one page that share facts. The facts are lost with the page.
 *
 * @param items the initial facts. Default: none
 * @example
 * const { domain, context, guard } = memory(memoryMemory());
 */
export function memoryMemory(items: readonly MemoryItem[] = []): MemoryStore {
  // As copies, because a reader must not share an object with a writer.
  const kept = new Map(structuredClone(items).map((item) => [item.id, item]));
  const listeners = new Set<() => void>();
  const changed = () => listeners.forEach((listener) => listener());
  return {
    load: async () => structuredClone([...kept.values()]),
    async put(item, expected) {
      checkRevision(item.id, kept.get(item.id), expected);
      kept.set(item.id, structuredClone(item));
      changed();
    },
    async remove(id, expected) {
      checkRevision(id, kept.get(id), expected);
      kept.delete(id);
      changed();
    },
    subscribe(listener) {
      // A wrapper, because the same function may be subscribed twice.
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
