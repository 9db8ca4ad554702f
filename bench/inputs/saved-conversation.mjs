/** The past as an app saves it: the messages that the model saw, and the turns that the user saw. */
export function savedConversation(past) {
  const messages = past.map(({ id, role, text }) => ({ id, role, parts: [{ type: 'text', text }] }));
  const turns = [];
  for (let index = 0; index < messages.length; index += 2) {
    const [input, answer] = messages.slice(index, index + 2);
    turns.push({
      id: `turn-${index}`,
      input,
      rounds: [{ parts: answer.parts }],
      status: 'completed',
      outcome: { status: 'completed', usage: null, rounds: 1 },
      messageIds: [input.id, answer.id],
      effects: [],
    });
  }
  return { version: 1, messages, turns };
}
