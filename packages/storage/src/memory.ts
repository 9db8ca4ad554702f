// The entry `./memory`: stores for the facts of `@banister/crew/memory`.
export { memoryMemory } from './memory/memory-memory.js';
