import { preloadTurns } from '@banister/session';

/** Enough for the promise chains of a turn, from a provider's event to the last subscriber. */
const TICKS = 200;

/**
 * Lets promises settle without a timer: after the code of turns is loaded, it awaits a few hundred microtasks. It does not wait for a real
 * timer, a socket or another dynamic `import()`; for these, await an operation with `observe(session).until(…)`.
 *
 * @example
 * const answer = session.send('Hello');
 * await settle();
 * console.log(session.currentText.value);
 */
export async function settle(ticks: number = TICKS): Promise<void> {
  await preloadTurns();
  for (let i = 0; i < ticks; i++) await undefined;
}
