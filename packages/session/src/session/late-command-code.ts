import { LazyCode } from '../ports/lazy-code.js';
import type * as commands from './late-commands.js';

/** The commands that few sessions are given: a chunk of its own. */
export type LateCommandCode = typeof commands;

export const lateCommandCode = new LazyCode<LateCommandCode>(() => import('./late-commands.js'));
