import type { Clock } from '../ports/clock.js';
import { LazyCode } from '../ports/lazy-code.js';
import type * as interruption from './end-interruption.js';

/** The commands that end interrupted work, or go on with it: a chunk of its own, since few pages are left in the middle of a turn. */
export type ResumeCode = typeof interruption;

export const resumeCode = new LazyCode<ResumeCode>(() => import('./end-interruption.js'));

/** Fetches it in the background, before it is needed: the page may be offline by then. After a fetch that failed the command fetches again. */
export function preloadResume(clock: Clock): void {
  Promise.resolve(resumeCode.get(clock)).catch(() => {});
}
