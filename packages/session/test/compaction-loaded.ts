import { createVirtualClock } from '@banister/testing';
import { compactionOf } from '../src/compaction/compaction-code.js';
import { commandCode } from '../src/session/command-code.js';

/** Loads the code that compacts before a virtual clock could give up on it. */
export async function compactionLoaded(): Promise<void> {
  const clock = createVirtualClock(1_000);
  await Promise.all([compactionOf(null).load(clock), commandCode.get(clock)]);
}
