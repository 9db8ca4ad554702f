import type { Grant } from '../operations/consent-operations.js';

/**
 * Keeps the grants that are remembered for `always`, for all sessions of a user. The session reads it at each decision, and once more before
 * the call runs, so that a revocation elsewhere stops calls that have not started. While it cannot be read the user is asked.
 *
 * @example
 * createAgentSession({ provider, domains, guards, grants: indexedDbGrants() });
 */
export interface GrantStore {
  load(): Promise<readonly Grant[]>;
  /** Adds a grant, or replaces the one with the same id. */
  put(grant: Grant): Promise<void>;
  /** Removes a grant; does nothing where there is none with this id. */
  remove(id: string): Promise<void>;
  /**
   * Calls back after a change from elsewhere, so that lists of grants are shown as they are.
   *
   * @returns ends that
   */
  subscribe?(changed: () => void): () => void;
}
