import { expect, test } from 'vitest';
import { createSequentialIds } from './sequential-ids.js';

test('ids count up, for each kind by itself', () => {
  const ids = createSequentialIds();
  expect([ids.next('turn'), ids.next('call'), ids.next('turn')]).toEqual(['turn_1', 'call_1', 'turn_2']);
});

test('two sets of ids know nothing of each other', () => {
  createSequentialIds().next('turn');
  expect(createSequentialIds().next('turn')).toBe('turn_1');
});
