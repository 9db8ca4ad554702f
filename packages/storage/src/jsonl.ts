// The entry `./jsonl`: exports a log as text, and imports it again.
export { exportLog } from './jsonl/export-log.js';
export { importLog } from './jsonl/import-log.js';
