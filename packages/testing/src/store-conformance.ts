import { proveFacts } from './prove-facts.js';
import type { StoreFact } from './store/store-fact.js';
import { storeFacts } from './store/store-facts.js';
import { StoreStage, type StoreFixture } from './store/store-stage.js';
import type { TestRunner } from './test-runner.js';

export type { StoreFact } from './store/store-fact.js';
export type { StoreBoard, StoreCard, StoreFixture } from './store/store-stage.js';

export interface StoreConformanceOptions {
  /** Facts that do not hold for this store, each with its reason. They are reported as skipped. */
  readonly skip?: { readonly [F in StoreFact]?: string } | undefined;
}

/**
 * Defines the tests that every adapter of `@banister/stores` must pass. Declare a fact that does not hold in `skip`.
 *
 * @param name the name of the adapter, for the report
 * @param make creates a store with an empty board; called for each test
 * @param runner the test runner: `{ describe, it }`
 * @example
 * storeConformance('zustandStore', () => {
 *   const store = createStore<StoreBoard>(() => ({ cards: [], filter: '' }));
 *   return {
 *     undoable: undoable(zustandStore(store), { roots: ['cards', 'filter'] }),
 *     read: () => structuredClone(store.getState()),
 *     update: (recipe) => store.setState(produce(recipe)),
 *   };
 * }, { describe, it });
 */
export function storeConformance(
  name: string,
  make: () => StoreFixture | Promise<StoreFixture>,
  runner: TestRunner,
  { skip = {} }: StoreConformanceOptions = {},
): void {
  const makeStage = async () => new StoreStage(await make());
  proveFacts(runner, `${name} as an undoable store`, storeFacts, skip, makeStage);
}
