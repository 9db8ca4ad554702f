import { expect, test } from 'vitest';
import { settle } from './settle.js';

test('promises that wait on each other settle, timers do not', async () => {
  const events: string[] = [];
  const timer = setTimeout(() => events.push('timer'), 0);
  void (async () => {
    for (let i = 0; i < 100; i++) await undefined;
    events.push('promise');
  })();
  await settle();
  expect(events).toEqual(['promise']);
  clearTimeout(timer);
});
