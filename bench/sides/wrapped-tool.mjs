import { undoable } from '../../.cache/bench/node_modules/@banister/stores/dist/index.js';

/** The tool with the undo of the store. */
export const wrappedTool = ({ adapter, roots }, tool) => undoable(adapter, { roots }).wrap(tool);
