// The floor of W11: the saved text as an object.
export function createParsedJson({ json }) {
  const { messages } = JSON.parse(json);
  return { messageCount: () => messages.length };
}
