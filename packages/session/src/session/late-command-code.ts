import { LazyCode } from '../ports/lazy-code.js';
import type * as commands from './late-commands.js';

/** Loads the commands that few sessions use, a chunk of their own. */
type LateCommandCode = typeof commands;

export const lateCommandCode = new LazyCode<LateCommandCode>(() => import('./late-commands.js'));
