export { memoryLog, type MemoryLogOptions } from './memory-log.js';
