import { LazyCode } from '../ports/lazy-code.js';

/** Loads the code of turns, once for all sessions of a page. It is a chunk of its own, since a page shows its chat before a user writes into it. */
export const turnCode = new LazyCode(() => import('./turn-chunk.js'));

/** The module that runs turns. */
export type TurnCode = NonNullable<typeof turnCode.loaded>;
