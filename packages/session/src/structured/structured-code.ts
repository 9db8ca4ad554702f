import { LazyCode } from '../ports/lazy-code.js';

/** Loads the stages of a `generate` turn that an earlier session began. For a new turn, `generation-code.ts` loads them. */
export const structuredCode = new LazyCode(() => import('./structured-stages.js'));
