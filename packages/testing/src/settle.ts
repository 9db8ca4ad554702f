import { preloadTurns } from '@banister/session';

/** Long enough for the promise chains of a turn, from a provider's event to the last subscriber. */
const TICKS = 200;

/**
 * Lets promises that wait on each other settle, without a timer: awaits a few hundred microtasks, once the code of turns
 * is loaded. It does not settle a promise that waits on a real timer, a socket or another dynamic `import()`; await an operation
 * instead, with `observe(session).until(…)`.
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
