import type { Clock } from '@banister/provider';
import { LazyCode } from '../ports/lazy-code.js';
import type * as interruption from './end-interruption.js';

/**
 * Loads the commands that end interrupted work, or go on with it. They are a chunk of their own, because few pages are closed during a
 * turn.
 */
export type ResumeCode = typeof interruption;

export const resumeCode = new LazyCode<ResumeCode>(() => import('./end-interruption.js'));

/**
 * Loads this code in the background before it is needed, because the page may be offline later. If loading fails, the command loads it
 * again.
 */
export function preloadResume(clock: Clock): void {
  Promise.resolve(resumeCode.get(clock)).catch(() => {});
}
