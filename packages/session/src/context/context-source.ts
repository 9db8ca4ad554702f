/**
 * The moments at which a source of live context is read:
 *
 * - `always`: before every request.
 * - `cached(ttlMs)`: before a request, where the last line is older than that, or a call has changed the app since.
 * - `onDemand`: when the model asks for it, with the tool `banister.read_context`.
 */
export type ContextPolicy = 'always' | 'onDemand' | CachedPolicy;

/** The policy of a line that is read again after some time. Made by {@link cached}. */
export interface CachedPolicy {
  /** In milliseconds. */
  readonly ttlMs: number;
}

/**
 * A part of the app that the model reads: a line in each request, or a text for which it asks.
 *
 * @example
 * const selection: ContextSource = { id: 'selection', policy: 'always', summary: () => `Selected: ${board.selected}` };
 * const prices: ContextSource = { id: 'prices', policy: cached(60_000), domain: 'shop', summary: () => shop.priceLine() };
 */
export interface ContextSource {
  /** Names the line: `[id]: text`. */
  readonly id: string;
  readonly policy: ContextPolicy;
  /**
   * The id of the domain whose calls change the text: the success of one that is not `readOnly` ends the life of a cached line. Default: those of
   * every domain do.
   */
  readonly domain?: string | undefined;
  /**
   * Returns the text of the line; line breaks become spaces. A source that throws, or takes longer than the limit `contextTimeoutMs`, becomes a
   * diagnostic, never an error.
   */
  summary(): string | Promise<string>;
  /**
   * Returns the text that the model gets when it asks for this source, whatever its policy. Default: that of `summary`, for a source whose policy
   * is `onDemand`; any other one cannot be asked for.
   */
  detail?(): string | Promise<string>;
}

/**
 * Returns the policy of a line that is kept for some time. A call that changes the app ends that time, see `ContextSource.domain`; so do a
 * rollback, an undo and a redo.
 *
 * @param ttlMs in milliseconds; `Infinity` for a line that only changes by calls
 *
 * @example
 * const source: ContextSource = { id: 'prices', policy: cached(60_000), summary: () => shop.priceLine() };
 */
export function cached(ttlMs: number): CachedPolicy {
  return { ttlMs };
}
