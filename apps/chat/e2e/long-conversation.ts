import type { SavedConversation } from '@banister/session';
import type { Page } from '@playwright/test';

/** Puts a conversation into the tab before the demo is opened. */
export function keepInTab(page: Page, conversation: SavedConversation): Promise<unknown> {
  return page.addInitScript((text) => {
    if (sessionStorage.getItem('seeded') === null) sessionStorage.setItem('banister.conversation', text);
    sessionStorage.setItem('seeded', 'yes');
  }, JSON.stringify(conversation));
}

/**
 * Returns a conversation with this number of turns, two messages each, as a tab stores it. Answers are
 * Markdown and differ in height.
 */
export function longConversation(turns: number): SavedConversation {
  return conversationOf(
    turns,
    Array.from({ length: turns }, (_, index) => index),
  );
}

/**
 * Returns a conversation of 2,000 turns: a shown path of 200 turns, and 300 branches of 6 turns beside it.
 */
export function branchedConversation(): SavedConversation {
  const path = Array.from({ length: 200 }, (_, index) => index);
  const branches = Array.from({ length: 300 }, (_, branch) => {
    const first = path.length + 6 * branch + 1;
    return [1 + (branch % 199), first, first + 1, first + 2, first + 3, first + 4];
  });
  return conversationOf(path.length, [...path, ...branches.flat()]);
}

/** @param parents the number of the turn before each turn; 0 for the first turn. The turns are counted from 1. */
function conversationOf(head: number, parents: readonly number[]): SavedConversation {
  return {
    version: 3,
    sequence: parents.length * 10,
    head: head === 0 ? null : `turn_${head}`,
    prefix: [],
    turns: parents.map((parent, index) => ({
      record: turn(index + 1, parent),
      messages: ['input', { id: `answer_${index + 1}`, role: 'assistant', parts: [[0, 0]] }],
    })),
    marks: [],
    redo: [],
  };
}

function turn(number: number, parent: number) {
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
    parentId: parent === 0 ? null : `turn_${parent}`,
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
