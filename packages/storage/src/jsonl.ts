// The entry `./jsonl`: exports a log as text, and imports it again. Begins a log with a saved conversation.
export { beginLog } from './jsonl/begin-log.js';
export { exportLog } from './jsonl/export-log.js';
export { importLog } from './jsonl/import-log.js';
