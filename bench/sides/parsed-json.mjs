// The floor of W11: the saved text as an object.
export function createParsedJson({ json }) {
  const { turns } = JSON.parse(json);
  return { messageCount: () => turns.flatMap(({ messages }) => messages).length };
}
