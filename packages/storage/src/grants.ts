// The entry `./grants`: stores of the approvals that are remembered for always.
export { indexedDbGrants, type IndexedDbGrantsOptions } from './grants/indexed-db-grants.js';
export { memoryGrants } from './grants/memory-grants.js';
