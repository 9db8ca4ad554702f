import { LazyCode } from '../ports/lazy-code.js';
import type * as interruptionModule from './end-interruption.js';

export type InterruptionCode = typeof interruptionModule;

/** The module that ends interrupted work: a chunk of its own, since few sessions are interrupted. */
export const interruptionCode = new LazyCode<InterruptionCode>(() => import('./end-interruption.js'));
