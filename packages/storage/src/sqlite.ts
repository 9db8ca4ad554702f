// The entry `./sqlite`, for Node. Nothing else imports it, so that no page for browsers has it.
export { sqliteLog, type SqliteLog, type SqliteLogOptions } from './sqlite/sqlite-log.js';
