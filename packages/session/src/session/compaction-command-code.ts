import { LazyCode } from '../ports/lazy-code.js';
import type * as compactionModule from './compaction-commands.js';

/** The commands that compact a conversation, and take that back. */
export type CompactionCommandCode = typeof compactionModule;

export const compactionCommandCode = new LazyCode<CompactionCommandCode>(
  () => import('./compaction-commands.js'),
);
