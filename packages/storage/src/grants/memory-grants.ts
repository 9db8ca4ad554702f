import type { Grant, GrantStore } from '@banister/session';

/**
 * A store of grants in memory: for tests, and for sessions of one page that share approvals. The grants are lost with the page.
 *
 * @param grants the initial grants. Default: none
 * @example
 * const grants = memoryGrants();
 * const session = createAgentSession({ provider, domains, guards, grants });
 */
export function memoryGrants(grants: readonly Grant[] = []): GrantStore {
  const kept = new Map(grants.map((grant) => [grant.id, grant]));
  const listeners = new Set<() => void>();
  const changed = async () => listeners.forEach((listener) => listener());
  return {
    load: async () => [...kept.values()],
    put(grant) {
      kept.set(grant.id, grant);
      return changed();
    },
    remove(id) {
      kept.delete(id);
      return changed();
    },
    subscribe(listener) {
      // A wrapper, because the same function may be subscribed twice.
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
