import type { JsonObject, ProviderEvent } from '@banister/provider';
import type { Fields } from '@banister/wire';

/** A content block of an answer, assembled from its pieces. */
export interface Block {
  /** The events of the content in the block's first event; some servers send the whole block in it. */
  start(): ProviderEvent[];
  /** The events of a further piece. */
  add(delta: Fields): ProviderEvent[];
  /** The last events, when the block is whole. */
  close(): ProviderEvent[];
  /** The last events, when the answer ended before the block. */
  cut(): ProviderEvent[];
  /** The block as it is returned to the API, unchanged; null for a block that the API would refuse. */
  toContent(): JsonObject | null;
}
