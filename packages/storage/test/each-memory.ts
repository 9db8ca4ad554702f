import { indexedDbMemory, memoryMemory } from '@banister/storage/memory';
import { memoryStoreConformance } from '@banister/testing';
import { describe, it } from 'vitest';

let count = 0;

/** Runs the suite against the stores of facts that work in browsers. */
export function eachMemory(): void {
  memoryStoreConformance('agents M6: memoryMemory', () => ({ store: memoryMemory() }), { describe, it });
  memoryStoreConformance(
    'agents M6: indexedDbMemory',
    () => {
      const name = `memory-${++count}`;
      return { store: indexedDbMemory({ name }), other: indexedDbMemory({ name }) };
    },
    { describe, it },
  );
}
