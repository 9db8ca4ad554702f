// The entry `./sqlite`, for Node. No other entry imports it, so that pages for browsers do not contain it.
export { sqliteLog, type SqliteLog, type SqliteLogOptions } from './sqlite/sqlite-log.js';
export { sqliteMemory, type SqliteMemory } from './sqlite/sqlite-memory.js';
