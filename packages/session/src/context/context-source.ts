/**
 * When a source of live context is read:
 *
 * - `always`: before every request.
 * - `cached(ttlMs)`: before a request, if the last line is older than `ttlMs`, or a call has changed the app since.
 * - `onDemand`: when the model asks for it, with the tool `banister.read_context`.
 */
export type ContextPolicy = 'always' | 'onDemand' | CachedPolicy;

/** The policy of a line that is valid for some time, created by {@link cached}. */
export interface CachedPolicy {
  /** How long a line is valid, in milliseconds. */
  readonly ttlMs: number;
}

/**
 * A part of the app that the model reads: a line in each request, or a text for which the model asks.
 *
 * @example
 * const selection: ContextSource = { id: 'selection', policy: 'always', summary: () => `Selected: ${board.selected}` };
 * const prices: ContextSource = { id: 'prices', policy: cached(60_000), domain: 'shop', summary: () => shop.priceLine() };
 */
export interface ContextSource {
  /** The name of the line: `[id]: text`. */
  readonly id: string;
  readonly policy: ContextPolicy;
  /**
   * The id of the domain whose calls change the text: a cached line becomes invalid when a call of the domain succeeds that is not
   * `readOnly`. Default: calls of every domain do.
   */
  readonly domain?: string | undefined;
  /**
   * Returns the text of the line; line breaks become spaces. If it throws, or takes longer than the limit `contextTimeoutMs`, there is a
   * diagnostic and no error.
   */
  summary(): string | Promise<string>;
  /**
   * Returns the text that the model gets when it asks for this source, whatever its policy is. Default: the text of `summary` if the policy
   * is `onDemand`; for any other policy the model cannot ask for the source.
   */
  detail?(): string | Promise<string>;
}

/**
 * Returns the policy of a line that is valid for some time. It becomes invalid earlier when a call changes the app, see
 * `ContextSource.domain`, and after a rollback, an undo or a redo.
 *
 * @param ttlMs how long the line is valid, in milliseconds; `Infinity` for a line that only calls change
 *
 * @example
 * const source: ContextSource = { id: 'prices', policy: cached(60_000), summary: () => shop.priceLine() };
 */
export function cached(ttlMs: number): CachedPolicy {
  return { ttlMs };
}
