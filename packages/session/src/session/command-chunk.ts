// The entry of a chunk that is loaded late: the commands that start a sibling turn, switch to another branch, or compact.
export { clear, edit, regenerate, switchTo } from './branch-commands.js';
export { compact, uncompact } from '../compaction/compaction-commands.js';
