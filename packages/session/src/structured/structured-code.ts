import { LazyCode } from '../ports/lazy-code.js';

/**
 * Loads the stages of a turn with a structured output: of a child turn, and of a turn of `generate` that an earlier session began. For a new
 * turn of `generate`, `generation-code.ts` loads them.
 */
export const structuredCode = new LazyCode(() => import('./structured-stages.js'));
