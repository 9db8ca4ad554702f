import type { Grant } from '../consent/consent-operations.js';

/**
 * Stores the grants that are remembered for `always`, for all sessions of a user. The session reads the store at each decision, and again
 * before the call runs, so that a revocation elsewhere stops calls that have not started. While the store cannot be read, the user is
 * asked.
 *
 * @example
 * createAgentSession({ provider, domains, guards, grants: indexedDbGrants() });
 */
export interface GrantStore {
  load(): Promise<readonly Grant[]>;
  /** Adds a grant, or replaces the grant with the same id. */
  put(grant: Grant): Promise<void>;
  /** Removes a grant; does nothing if there is no grant with this id. */
  remove(id: string): Promise<void>;
  /**
   * Calls `changed` after a change from elsewhere, so that sessions show the current grants.
   *
   * @returns a function that ends the subscription
   */
  subscribe?(changed: () => void): () => void;
}
