import { expect, test } from 'vitest';
import { gate } from './gate.js';
import { settle } from './settle.js';

test('a gate delays every `pass()` until it opens, and none afterwards', async () => {
  const door = gate();
  const passed: string[] = [];
  void door.pass().then(() => passed.push('first'));
  await settle();
  expect([passed, door.isOpen]).toEqual([[], false]);
  door.open();
  await door.pass();
  expect([passed, door.isOpen]).toEqual([['first'], true]);
});

test('`reached` resolves at the first `pass()`', async () => {
  const door = gate();
  let reached = false;
  void door.reached.then(() => (reached = true));
  await settle();
  expect(reached).toBe(false);
  void door.pass();
  await door.reached;
});
