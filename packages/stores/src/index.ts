export { undoable, type Undoable, type UndoableOptions } from './undoable.js';
export type { RootsOf, StoreAdapter } from './adapter.js';
export type { Patch, Place, Segment } from './patch.js';
export type { ShownChanges } from './shown-changes.js';
