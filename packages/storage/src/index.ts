export { indexedDbLog, type IndexedDbLogOptions } from './indexed-db-log.js';
export { memoryLog, type MemoryLogOptions } from './memory-log.js';
