import type { PlanStep } from '@banister/crew/plan';
import type { JsonObject, ToolCallView } from '@banister/session';
import { expect, test } from 'vitest';
import { planEdits } from './plan-edits.js';

const step = (id: string, more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  title: `Step ${id}`,
  task: `Do ${id}.`,
  agent: 'notes',
  ...more,
});
const plan = (steps: readonly PlanStep[], title = 'Release') => ({ title, steps }) as unknown as JsonObject;
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => step(id)) as [PlanStep, PlanStep, PlanStep, PlanStep];

function edits(approved: readonly PlanStep[] | undefined, title?: string): string | null {
  const call: ToolCallView = {
    type: 'tool-call',
    id: 'call',
    tool: 'plan.carry_out',
    index: 0,
    state: 'executing',
    argumentsText: '',
    arguments: plan([a, b, c, d]),
    ...(approved === undefined ? {} : { ranWith: plan(approved, title) }),
  };
  return planEdits(call);
}

test.each<[string | null, readonly PlanStep[] | undefined]>([
  [null, undefined],
  [null, [a, b, c, d]],
  ['You renamed 1 step.', [step('a', { title: 'First' }), b, c, d]],
  ['You moved 1 step.', [a, c, d, b]],
  ['You moved 1 step.', [d, a, b, c]],
  ['You moved 3 steps.', [d, c, b, a]],
  ['You removed 2 steps.', [a, d]],
  ['You gave 1 step to another agent.', [a, b, c, step('d', { agent: 'checks' })]],
  ['You rewrote the task of 1 step.', [step('a', { task: 'Else.' }), b, c, d]],
  ['You renamed 1 step, moved 1 and removed 1.', [step('a', { title: 'First' }), d, b]],
  ['You removed 4 steps and added 1.', [step('e')]],
])('%s', (words, approved) => {
  expect(edits(approved)).toBe(words);
});

test('the title of a plan is told after its steps', () => {
  expect(edits([a, b, c], 'Release 2')).toBe('You removed 1 step and renamed the plan.');
  expect(edits([a, b, c, d], 'Release 2')).toBe('You renamed the plan.');
});
