import type { JsonObject, ProviderEvent } from '@handrail/session/provider';
import type { Fields } from '@handrail/wire';

/** A content block of an answer while its pieces arrive. */
export interface Block {
  /** The events of what its first event held already; some servers send everything in it. */
  start(): ProviderEvent[];
  /** The events of a further piece. */
  add(delta: Fields): ProviderEvent[];
  /** The last events, when the block is whole. */
  close(): ProviderEvent[];
  /** The last events, when the answer ended and the block did not. */
  cut(): ProviderEvent[];
  /** The block as the API takes it back, exactly as it came; null when it takes nothing back. */
  toContent(): JsonObject | null;
}
