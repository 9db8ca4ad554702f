import { LazyCode } from '../ports/lazy-code.js';

/** The stages of a turn of `generate`, for one that an earlier session began. `generation-code.ts` has them for a new one. */
export const structuredCode = new LazyCode(() => import('../structured/structured-stages.js'));
