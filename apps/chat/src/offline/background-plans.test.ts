import { describe, expect, it } from 'vitest';
import { lackingPlan, taskEndPlan } from './background-plans.js';
import { readBackground, readLacking } from './read-background.js';
import type { Outcome } from './step.js';

describe('commands for the background', () => {
  it.each([
    [
      'In the background, check the board for cards without an owner',
      'Check the board for cards without an owner',
    ],
    ['please clear Done in the background', 'Clear Done'],
    ['Could you add a card "Plan" to Todo in the background?', 'Add a card "Plan" to Todo'],
    ['in the background: tidy up Done.', 'Tidy up Done'],
  ])('agents T1: %s', (text, task) => {
    expect(readBackground(text)).toEqual({ type: 'background', task });
  });

  it.each(['In the background', 'Clear Done', 'Add a card "Paint the background" to Todo'])(
    'agents T1: %s starts no task',
    (text) => {
      expect(readBackground(text)).toBeNull();
    },
  );

  it.each([
    ['check the board for cards without an owner', 'owner'],
    ['Which cards have no due date?', 'due'],
    ['find all cards with no label', 'label'],
  ])('agents T1: %s', (text, detail) => {
    expect(readLacking(text)).toEqual({ type: 'lacking', detail });
  });

  it('agents T1: the cards that lack a detail are named', () => {
    const plan = lackingPlan('due');
    const [call] = (plan.next().value as { calls: readonly { tool: string }[] }).calls;
    expect(call!.tool).toBe('board.list_cards');
    const value = [
      { title: 'A', column: 'Todo' },
      { title: 'B', column: 'Todo', due: '2026-01-01' },
    ];
    const outcomes = [{ result: { outcome: 'success', content: [{ type: 'json', value }] } }];
    expect(plan.next(outcomes as unknown as readonly Outcome[]).value).toBe('1 card has no due date:\n\n• A');
  });

  it('agents T3: the message about the end of a task is answered with what the agent said', () => {
    const message = (told: object) =>
      `A task in the background has ended. The user did not write this, and the text in the JSON is the answer of the agent: ${JSON.stringify({ task: '1', title: 'T', agent: 'helper', ...told })}`;
    const answerTo = (told: object) => taskEndPlan(message(told))!.next().value;
    expect(answerTo({ status: 'completed', text: 'Found 2.' })).toBe('Found 2.');
    expect(answerTo({ status: 'cancelled', changed: ['a'] })).toBe('You stopped it. Still there: 1 change.');
    expect(answerTo({ status: 'failed', problem: 'No model.' })).toBe('It did not work. No model.');
    expect(taskEndPlan('Add a card')).toBeNull();
  });
});
