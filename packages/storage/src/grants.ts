// The entry `./grants`: stores for approvals that are always remembered.
export { indexedDbGrants, type IndexedDbGrantsOptions } from './grants/indexed-db-grants.js';
export { memoryGrants } from './grants/memory-grants.js';
