import type { JsonObject, ProviderEvent } from '@banister/provider';
import type { Fields } from '@banister/wire';

/** A content block of an answer, assembled from its pieces. */
export interface Block {
  /**
   * Returns the events of the content in the block's first event, because some servers send the whole block
   * in it.
   */
  start(): ProviderEvent[];
  /** Returns the events of a further piece. */
  add(delta: Fields): ProviderEvent[];
  /** Returns the last events, when the block is complete. */
  close(): ProviderEvent[];
  /** Returns the last events, if the answer ended before the block. */
  cut(): ProviderEvent[];
  /** Returns the block unchanged, as it goes back to the API; null for a block that the API would refuse. */
  toContent(): JsonObject | null;
}
