import { LazyCode } from '../ports/lazy-code.js';
import type * as commands from './command-chunk.js';

/** Loads the commands that few sessions use, a chunk of their own. */
type CommandCode = typeof commands;

export const commandCode = new LazyCode<CommandCode>(() => import('./command-chunk.js'));
