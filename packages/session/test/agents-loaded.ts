import { createVirtualClock } from '@banister/testing';
import { childrenCode } from '../src/children/children-of.js';

/** Loads the code of child turns before a virtual clock could give up on it. */
export async function agentsLoaded(): Promise<void> {
  await childrenCode.get(createVirtualClock(1_000));
}
