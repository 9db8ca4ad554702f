import type { SavedConversation } from '@handrail/session';

/** A conversation of so many turns, two messages each, as a tab keeps it. Answers are Markdown, and not all equally tall. */
export function longConversation(turns: number): SavedConversation {
  return {
    version: 2,
    sequence: turns * 10,
    head: turns === 0 ? null : `turn_${turns}`,
    prefix: [],
    turns: Array.from({ length: turns }, (_, index) => ({
      record: turn(index + 1),
      messages: ['input', { id: `answer_${index + 1}`, role: 'assistant', parts: [[0, 0]] }],
    })),
    marks: [],
  };
}

function turn(number: number) {
  const id = `question_${number}`;
  const steps = Array.from({ length: number % 5 }, (_, step) => `- step ${step + 1} of **${number}**`);
  const text = [
    `### Answer ${number}`,
    `What there is to say about question ${number}, with [a source](https://docs.example/${number}).`,
    ...steps,
    ...(number % 7 === 0 ? ['```ts', `const answer = ${number};`, '```'] : []),
    '',
    'A last paragraph, which is long enough that it takes more than one line wherever it is read, on a wide screen too.',
  ].join('\n');
  return {
    id: `turn_${number}`,
    parentId: number === 1 ? null : `turn_${number - 1}`,
    input: { id, role: 'user', parts: [{ type: 'text', text: `Question ${number}` }] },
    rounds: [{ parts: [{ type: 'text', text }] }],
    status: 'completed',
    outcome: {
      status: 'completed',
      usage: { inputTokens: 100, outputTokens: 100, totalTokens: 200 },
      rounds: 1,
    },
    effects: [],
  } as const;
}
