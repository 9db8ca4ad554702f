import { createVirtualClock } from '@banister/testing';
import { hooksOf } from '../src/middleware/middleware-code.js';

/** Loads the code of middleware before a virtual clock could give up on it. */
export async function hooksLoaded(): Promise<void> {
  await hooksOf([{ name: 'any', afterTurn: () => {} }])!(createVirtualClock(1_000));
}
