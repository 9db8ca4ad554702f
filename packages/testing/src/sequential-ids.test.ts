import { expect, test } from 'vitest';
import { createSequentialIds } from './sequential-ids.js';

test('ids count up, separately for each kind', () => {
  const ids = createSequentialIds();
  expect([ids.next('turn'), ids.next('call'), ids.next('turn')]).toEqual(['turn_1', 'call_1', 'turn_2']);
});

test('two sets of ids are independent', () => {
  createSequentialIds().next('turn');
  expect(createSequentialIds().next('turn')).toBe('turn_1');
});
