// The entry `./memory`: stores for the facts of `@banister/crew/memory`. The entry `./sqlite` has the store for Node.
export { indexedDbMemory, type IndexedDbMemoryOptions } from './memory/indexed-db-memory.js';
export { memoryMemory } from './memory/memory-memory.js';
