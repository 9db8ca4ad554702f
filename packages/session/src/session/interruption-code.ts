import { LazyCode } from '../ports/lazy-code.js';
import type * as interruptionModule from './end-interruption.js';

/** The module that ends interrupted work: a chunk of its own, since few sessions are interrupted. */
export type InterruptionCode = typeof interruptionModule;

export const interruptionCode = new LazyCode<InterruptionCode>(() => import('./end-interruption.js'));
