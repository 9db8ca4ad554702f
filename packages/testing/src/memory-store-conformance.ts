import {
  memoryFacts,
  MemoryStage,
  type MemoryStoreFact,
  type MemoryStoreFixture,
} from './memory/memory-facts.js';
import { proveFacts } from './prove-facts.js';
import type { TestRunner } from './test-runner.js';

export type { MemoryStoreFact, MemoryStoreFixture } from './memory/memory-facts.js';

/** Options of {@link memoryStoreConformance}. */
export interface MemoryStoreConformanceOptions {
  /** Facts that do not hold for this store, each with its reason. They are reported as skipped. */
  readonly skip?: { readonly [F in MemoryStoreFact]?: string } | undefined;
}

/**
 * Defines the tests that every `MemoryStore` must pass. Declare a fact that does not hold in `skip`, such as `subscribe` for a store that
 * has none.
 *
 * @param name the name of the store, for the report
 * @param make creates a store without facts; called for each test
 * @param runner the test runner: `{ describe, it }`
 * @example
 * import { describe, it } from 'vitest';
 *
 * memoryStoreConformance('memoryMemory', () => ({ store: memoryMemory() }), { describe, it });
 */
export function memoryStoreConformance(
  name: string,
  make: () => MemoryStoreFixture | Promise<MemoryStoreFixture>,
  runner: TestRunner,
  { skip = {} }: MemoryStoreConformanceOptions = {},
): void {
  const makeStage = async () => new MemoryStage(await make());
  proveFacts(runner, `${name} as a store of facts`, memoryFacts, skip, makeStage);
}
