import { createAgentSession } from '@banister/session';
import { say, scriptedProvider } from '@banister/testing';
import { expect, test } from 'vitest';
import { noteOf, timeWords, titleOf } from './chat-words.js';

test('the title of a chat is the first line of its first message, cut if it is long', async () => {
  const session = createAgentSession({ provider: scriptedProvider([say('Hello.'), say('Yes.')]) });
  expect(titleOf(session)).toBe('');
  const sent = session.send(`Plan the launch week\nand the day`);
  expect(titleOf(session)).toBe('Plan the launch week');
  expect(noteOf(session)).toBe('Not finished');
  await sent;
  await session.send('Later');
  expect(titleOf(session)).toBe('Plan the launch week');
  expect(noteOf(session)).toBe('No changes');
  await session.dispose();

  const long = createAgentSession({ provider: scriptedProvider([say('Hello.')]) });
  await long.send('word '.repeat(40));
  expect(titleOf(long)).toMatch(/^word word .*…$/);
  expect(titleOf(long).length).toBeLessThanOrEqual(60);
  await long.dispose();
});

test('the time of a chat is as short as it can be', () => {
  const now = new Date(2026, 5, 10, 15, 30).getTime();
  const words = (...at: [number, number, number, number, number]) =>
    timeWords(new Date(...at).getTime(), now, 'en-GB');
  expect(words(2026, 5, 10, 15, 30)).toBe('now');
  expect(words(2026, 5, 10, 9, 5)).toMatch(/^0?9:05$/);
  expect(words(2026, 5, 9, 23, 59)).toBe('Yesterday');
  expect(words(2026, 5, 8, 0, 0)).toBe('Mon');
  expect(words(2026, 4, 8, 0, 0)).toBe('8 May 2026');
});
