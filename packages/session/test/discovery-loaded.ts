import { stagedDiscovery } from '@banister/session';
import { createVirtualClock } from '@banister/testing';

/** Loads the code of staged discovery before a virtual clock could give up on it. */
export async function discoveryLoaded(): Promise<void> {
  await stagedDiscovery().code.get(createVirtualClock(1_000));
}
