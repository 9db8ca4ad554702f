import { expect, test } from 'vitest';
import { limitWords } from './limit-words.js';

test.each([
  ['maxTokens', 'All text of this turn used'],
  ['session.maxTokens', 'All text of this chat used'],
] as const)('the words name the turn or the chat, whichever the limit counts: %s', (limit, title) => {
  const request = { limit, spent: 100, allowed: 100, suggested: 100 };
  expect(limitWords(request)).toEqual({ title, more: 'As much again' });
});
