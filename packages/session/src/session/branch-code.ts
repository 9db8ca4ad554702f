import { LazyCode } from '../ports/lazy-code.js';
import type * as branchModule from './branch-commands.js';

/** The module of the commands that start a turn beside another one, or go to another branch: a chunk of its own. */
export type BranchCode = typeof branchModule;

export const branchCode = new LazyCode<BranchCode>(() => import('./branch-commands.js'));
