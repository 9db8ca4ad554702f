import { LazyCode } from '../ports/lazy-code.js';
import type * as generationModule from './generate.js';

/** The module of `generate`, and of the stages of its turns: a chunk of its own, since most sessions generate nothing. */
export type GenerationCode = typeof generationModule;

export const generationCode = new LazyCode<GenerationCode>(() => import('./generate.js'));
