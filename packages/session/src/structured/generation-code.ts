import { LazyCode } from '../ports/lazy-code.js';
import type * as generationModule from './generate-command.js';

/** Loads the module of `generate` and the stages of its turns. It is a chunk of its own, because most sessions never call `generate`. */
type GenerationCode = typeof generationModule;

export const generationCode = new LazyCode<GenerationCode>(() => import('./generate-command.js'));
