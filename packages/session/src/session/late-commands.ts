// The chunk that is loaded late: the commands that start a turn beside another one, that go to another branch, and that compact.
export { clear, edit, regenerate, switchTo } from './branch-commands.js';
export { compact, uncompact } from './compaction-commands.js';
