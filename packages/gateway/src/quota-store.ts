/** An amount that an answer takes of what its user may have. */
export interface QuotaClaim {
  /** For example `tokens`. Claims of one name with spans of another length are counted apart: policies of one user may differ. */
  readonly name: string;
  /** The amount while the answer runs; `settle` replaces it. */
  readonly amount: number;
  /** The most in one span, or at once. */
  readonly max: number;
  /** Milliseconds of the span; null for an amount that is free again when the answer is over. */
  readonly spanMs: number | null;
}

/** An answer, as a store knows it. */
export interface Reservation {
  readonly user: string;
  /** The idempotency key of the request. */
  readonly key: string;
}

/** The reply to a reservation. */
export type Reserved =
  | { readonly ok: true }
  /** The key belongs to an answer that runs, or is done. */
  | { readonly ok: false; readonly seen: 'running' | 'done' }
  /** There is no room; `waitMs` until there may be some, null where that is unknown. */
  | { readonly ok: false; readonly claim: string; readonly waitMs: number | null };

/**
 * Counts what users spend. {@link memoryQuotas} is the one of a single process; a deployment of several processes needs one that they share, for
 * example in Redis.
 *
 * @example
 * const quotas: QuotaStore = {
 *   reserve: (reservation, claims, ttlMs) => redis.eval(RESERVE, reservation, claims, ttlMs),
 *   settle: (reservation, spent) => redis.eval(SETTLE, reservation, spent),
 * };
 */
export interface QuotaStore {
  /**
   * Takes all claims, or none where one has no room or the key was seen. It must be atomic: of a thousand calls at once no more pass than there
   * is room for.
   *
   * @param ttlMs after which the store may take the answer for lost, and free what it holds at once; the amounts of a span stay as they were reserved. A key is remembered for this long, where the memory of the store permits
   */
  reserve(
    reservation: Reservation,
    claims: readonly QuotaClaim[],
    ttlMs: number,
  ): Reserved | Promise<Reserved>;
  /** Replaces the claims of an answer that is over by the amounts that it spent; a claim that `spent` does not name keeps its amount. */
  settle(reservation: Reservation, spent: Readonly<Record<string, number>>): void | Promise<void>;
}
