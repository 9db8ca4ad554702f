import { expect, test } from 'vitest';
import { endWords, limitWords } from './limit-words.js';

test.each([
  ['maxTokens', 'All text of this turn used'],
  ['session.maxTokens', 'All text of this chat used'],
] as const)('the words name the turn or the chat, depending on the limit: %s', (limit, title) => {
  const request = { limit, spent: 100, allowed: 100, suggested: 100 };
  expect(limitWords(request)).toEqual({ title, more: 'As much again' });
});

test('the end of a turn is described in the words of the question before it', () => {
  expect(endWords('The turn reached its limit of 12 tool calls.')).toBe(
    'The turn reached its limit of 12 steps.',
  );
  expect(endWords('The turn reached its limit of 8 rounds.')).toBe(
    'The turn reached its limit of 8 answers.',
  );
  expect(endWords('The turn reached its limit of 1 round.')).toBe('The turn reached its limit of 1 answer.');
  expect(endWords('The budget is spent.')).toBe('The budget is spent.');
});
