/** The past as a session saves it: turns whose messages refer to their records. `past` has a question before each answer. */
export function savedConversation(past) {
  const messages = past.map(({ id, role, text }) => ({ id, role, parts: [{ type: 'text', text }] }));
  const turns = [];
  for (let index = 0; index < messages.length; index += 2) {
    const [input, answer] = messages.slice(index, index + 2);
    turns.push({
      record: {
        id: `turn-${index}`,
        parentId: index === 0 ? null : `turn-${index - 2}`,
        input,
        rounds: [{ parts: answer.parts }],
        status: 'completed',
        outcome: { status: 'completed', usage: null, rounds: 1 },
        effects: [],
      },
      messages: ['input', { ...answer, parts: [[0, 0]] }],
    });
  }
  const head = turns.at(-1)?.record.id ?? null;
  return { version: 3, sequence: 0, head, prefix: [], turns, marks: [], redo: [] };
}
