import { LazyCode } from '../ports/lazy-code.js';
import type * as turnModule from './turn-chunk.js';

/** The module that runs turns. It is a chunk of its own, since a page shows its chat before a user writes into it. */
export type TurnCode = typeof turnModule;

/** Loads the code of turns, once for all sessions of a page. */
export const turnCode = new LazyCode<TurnCode>(() => import('./turn-chunk.js'));
