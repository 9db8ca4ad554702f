/** An amount that an answer takes from its user's quota. */
export interface QuotaClaim {
  /** For example `tokens`, or `tokens@scout` for the agent `scout`. Claims with the same name but different spans are counted separately, because a user's policies may differ. */
  readonly name: string;
  /** The amount while the answer runs; `settle` replaces it. */
  readonly amount: number;
  /** The maximum in a span, or at the same time. */
  readonly max: number;
  /** The length of the span, in milliseconds; null if the amount is free again when the answer is over. */
  readonly spanMs: number | null;
}

/** What identifies an answer in a store. */
export interface Reservation {
  readonly user: string;
  /** The idempotency key of the request. */
  readonly key: string;
}

/** The reply to a reservation. */
export type Reserved =
  | { readonly ok: true }
  /** The key belongs to a running or a finished answer. */
  | { readonly ok: false; readonly seen: 'running' | 'done' }
  /** There is no room. `waitMs` is the time until there may be room; null if it is unknown. */
  | { readonly ok: false; readonly claim: string; readonly waitMs: number | null };

/**
 * Counts what users spend. {@link memoryQuotas} is for a single process. Several processes need a store that they share, for example in
 * Redis.
 *
 * @example
 * const quotas: QuotaStore = {
 *   reserve: (reservation, claims, ttlMs) => redis.eval(RESERVE, reservation, claims, ttlMs),
 *   settle: (reservation, spent) => redis.eval(SETTLE, reservation, spent),
 * };
 */
export interface QuotaStore {
  /**
   * Takes all claims; if a claim has no room or the key is known, takes none. The function must be atomic: if a thousand calls come at
   * once, only as many succeed as there is room for.
   *
   * @param ttlMs after this time the store may consider the answer lost and free its simultaneous amounts; amounts of a span stay reserved.
   *   The key is remembered for this time, if the memory of the store allows it
   */
  reserve(
    reservation: Reservation,
    claims: readonly QuotaClaim[],
    ttlMs: number,
  ): Reserved | Promise<Reserved>;
  /** Replaces the claims of a finished answer by the amounts that it spent. A claim that `spent` does not name keeps its amount. */
  settle(reservation: Reservation, spent: Readonly<Record<string, number>>): void | Promise<void>;
}
