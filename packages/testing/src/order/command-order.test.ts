import { describe, expect, test } from 'vitest';
import type { Operation } from '@banister/session';
import { checkOrder } from './order-checker.js';

type Fact = { readonly type: string; readonly [field: string]: unknown };

const began = (command: string): Fact => ({ type: 'commandBegan', command, name: 'enqueue' });
const queued = (id: string, command?: string): Fact => ({
  type: 'queued',
  id,
  input: 'Hi',
  steering: false,
  before: null,
  ...(command === undefined ? {} : { command }),
});

const problemsOf = (facts: readonly Fact[], first = 1) =>
  checkOrder(
    facts.map((fact, index) => ({ ...fact, sequence: first + index, at: 0 }) as unknown as Operation),
  );

describe('the commands of other sessions', () => {
  test('a command begins, and then causes a message', () => {
    expect(problemsOf([began('c1'), queued('a', 'c1'), queued('b'), began('c2'), queued('c', 'c2')])).toEqual(
      [],
    );
  });

  test('a command begins once', () => {
    expect(problemsOf([began('c1'), queued('a', 'c1'), began('c1')])).toEqual([
      '#3 commandBegan: command c1 has begun before',
    ]);
  });

  test('a message must name a command that has begun', () => {
    expect(problemsOf([queued('a', 'c1')])).toEqual(['#1 queued: command c1 has not begun']);
    expect(problemsOf([queued('a', 'c1')], 7)).toEqual([]);
  });

  test('accepts only one message for a command', () => {
    expect(problemsOf([began('c1'), queued('a', 'c1'), queued('b', 'c1')])).toEqual([
      '#3 queued: command c1 has its turn or its message already',
    ]);
  });
});
