/** A fact that is remembered, with its source. */
export interface MemoryItem {
  readonly id: string;
  /** The fact, as the user and the model read it. */
  readonly text: string;
  /** Words under which `memory.search` finds the fact, beside its own words. Default: none. */
  readonly about?: readonly string[] | undefined;
  /** True for a fact that the model reads before all others. */
  readonly pinned?: true | undefined;
  readonly source: MemorySource;
  /** When the fact was added, in milliseconds since 1970. */
  readonly at: number;
  /** When the fact was last changed, in milliseconds since 1970. */
  readonly changedAt: number;
  /** 1 for a new fact, and higher after each change. */
  readonly revision: number;
}

/** Who wrote the present text of a fact. */
export interface MemorySource {
  readonly by: 'user' | 'agent';
  /** The id of the agent in whose child turn the fact was written; absent if the session's own model or the user wrote it. */
  readonly agent?: string | undefined;
  /** True if a tool with the capability `networking` had run in the turn before: a page or a mail may have asked for the fact. */
  readonly afterNetwork?: true | undefined;
}

/**
 * Stores the facts that `memory` of `@banister/crew/memory` keeps, for all sessions of a user. `@banister/storage/memory` has stores. Each
 * method rejects if the store fails.
 *
 * @example
 * const { domain, context, guard } = memory(indexedDbMemory());
 */
export interface MemoryStore {
  /** Resolves with all facts, in any order. */
  load(): Promise<readonly MemoryItem[]>;
  /**
   * Adds a fact, or replaces the fact with the same id.
   *
   * @param expected the revision of the stored fact; null if there must be no fact with this id
   * @throws AgentSessionError `conflict` if the stored fact has another revision. Then nothing is stored
   */
  put(item: MemoryItem, expected: number | null): Promise<void>;
  /**
   * Removes a fact.
   *
   * @throws AgentSessionError `conflict` if the stored fact has another revision than `expected`, and if there is none
   */
  remove(id: string, expected: number): Promise<void>;
  /**
   * Finds facts, the best first: for example by vectors. Default: `memory.search` compares words.
   *
   * @param limit the highest number of facts
   */
  search?(query: string, limit: number, signal: AbortSignal): Promise<readonly MemoryItem[]>;
  /**
   * Calls `changed` after a change, also by another tab or process.
   *
   * @returns a function that ends the subscription
   */
  subscribe?(changed: () => void): () => void;
}
