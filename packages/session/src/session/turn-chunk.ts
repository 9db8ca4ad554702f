// The chunk that is loaded late: the turns, and the commands of a session that need their code.
export { openReport } from '../state/open-report.js';
export { allUndo } from '../state/undo-notes.js';
export * from '../turn/turn.js';
export { cancelReport } from './cancel-report.js';
export { retry } from './retry-command.js';
export { runPipeline } from './run-pipeline.js';
export { touch, undo } from './undo-command.js';
