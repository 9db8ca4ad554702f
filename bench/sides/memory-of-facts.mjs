import { memory } from '../../.cache/bench/node_modules/@banister/crew/dist/memory.js';

/** A memory, as a session has it. */
export function createMemory(store) {
  const facts = memory(store);
  const search = facts.domain.tools.find(({ name }) => name === 'search');
  const { signal } = new AbortController();
  return {
    open: async () => {
      // The first use waits for the facts.
      await facts.context.summary();
      return facts.items.value.length;
    },
    line: () => facts.context.summary(),
    search: async (query) => (await search.execute({ query }, { signal })).facts.length,
    end: () => facts.dispose(),
  };
}
