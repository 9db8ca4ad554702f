export { memory, type Memory, type MemoryOptions } from './memory.js';
export type { MemoryItem, MemorySource, MemoryStore } from '@banister/session';
