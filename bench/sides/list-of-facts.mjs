// The floor of W26: the facts as a list, of which a line has the first 20, and a search those with the word.
export function createList(store) {
  let items = [];
  return {
    async open() {
      items = await store.load();
      return items.length;
    },
    line: async () =>
      items
        .slice(0, 20)
        .map(({ text }) => JSON.stringify(text))
        .join(' '),
    search: async (query) => items.filter(({ text }) => text.includes(query)).slice(0, 20).length,
    end() {},
  };
}
