// The entry `./jsonl`: logs as text, to be kept or sent, and read again.
export { exportLog } from './jsonl/export-log.js';
export { importLog } from './jsonl/import-log.js';
