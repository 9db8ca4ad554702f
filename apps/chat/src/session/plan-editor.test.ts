import { createForm, type ArgumentForm } from '@banister/form';
import type { JsonObject } from '@banister/session';
import { loadToolCheck } from '@banister/session/check';
import { expect, test } from 'vitest';
import { carryOutId, releasePlanning } from '../release/release-planning.js';
import { createPlanEditor, type PlanEditor } from './plan-editor.js';

const step = (id: string, agent: string, ...after: readonly string[]): JsonObject => ({
  id,
  title: `Step ${id}`,
  task: `Do ${id}.`,
  agent,
  ...(after.length === 0 ? {} : { after: [...after] }),
});
const args = {
  title: 'Release',
  steps: [
    step('a', 'notes'),
    step('b', 'launch', 'a'),
    step('c', 'checks', 'b'),
    step('d', 'checks', 'b', 'a'),
  ],
};

async function open(given: JsonObject = args) {
  const [tool] = releasePlanning.domain.tools;
  const form: ArgumentForm = createForm({ ...(await loadToolCheck(tool!)), value: given });
  const focused: string[] = [];
  const said: string[] = [];
  const plan = createPlanEditor(
    form,
    { call: { id: 'call', tool: carryOutId, arguments: given } },
    { focus: (...names) => focused.push(...names), say: (words) => said.push(words) },
  );
  const order = () => stepsOf(form).map(({ id }) => id as string);
  return { form, plan, focused, said, order };
}

const stepsOf = (form: ArgumentForm) => form.value.value['steps'] as readonly JsonObject[];
const at = (plan: PlanEditor, index: number) => plan.steps.value[index]!;

test('each step has its title, its agent among the agents of the page, and what it follows', async () => {
  const { plan } = await open();
  expect(plan.steps.value.map(({ name, agentNumber, after }) => [name, agentNumber, after])).toEqual([
    ['Step a', 1, ''],
    ['Step b', 3, 'after “Step a”'],
    ['Step c', 2, 'after “Step b”'],
    ['Step d', 2, 'after “Step b”, “Step a”'],
  ]);
  expect(at(plan, 0).agents.map(({ label }) => label)).toEqual(['Notes', 'Checks', 'Launch']);
  expect(plan.edits.value).toBe('');
});

test('a title stays on one line, is followed by the labels, and has an error when it is empty', async () => {
  const { plan, form } = await open();
  plan.write(at(plan, 0).title, 'Notes\n for customers');
  expect(at(plan, 0).name).toBe('Notes for customers');
  expect(at(plan, 1).after).toBe('after “Notes for customers”');
  expect(plan.edits.value).toBe('You renamed 1 step.');
  plan.write(at(plan, 0).title, '');
  expect(at(plan, 0)).toMatchObject({ name: 'Step 1', errors: expect.stringContaining('Title ') as string });
  expect(form.isValid.value).toBe(false);
});

test('a step is moved by keys and by dragging, and its new place is read out', async () => {
  const { plan, order, focused, said } = await open();
  plan.move(at(plan, 1), 1, 'handle');
  expect(order()).toEqual(['a', 'c', 'b', 'd']);
  expect([focused, said]).toEqual([['handle'], ['Step b: step 3 of 4.']]);
  plan.place(at(plan, 0).id, null);
  expect(order()).toEqual(['c', 'b', 'd', 'a']);
  plan.place(at(plan, 3).id, at(plan, 1).id);
  expect(order()).toEqual(['c', 'a', 'b', 'd']);
  plan.place(at(plan, 1).id, at(plan, 1).id);
  plan.move(at(plan, 0), -1, 'handle');
  expect(order()).toEqual(['c', 'a', 'b', 'd']);
});

test('the steps that follow a removed step follow what it followed, until it is put back', async () => {
  const { plan, form, order, said } = await open();
  plan.remove(at(plan, 1));
  expect(stepsOf(form).map(({ id, after = [] }) => [id, after])).toEqual([
    ['a', []],
    ['c', ['a']],
    ['d', ['a']],
  ]);
  expect(plan.removed.value.map(({ name }) => name)).toEqual(['Step b']);
  expect(plan.edits.value).toBe('You removed 1 step.');
  expect(await form.submit()).not.toBeNull();
  plan.putBack(plan.removed.value[0]!);
  expect(order()).toEqual(['a', 'b', 'c', 'd']);
  expect(form.value.value).toEqual(args);
  expect([form.changes.value, plan.removed.value, plan.edits.value]).toEqual([[], [], '']);
  expect(said).toEqual(['Removed: Step b.', 'Step b: step 2 of 4.']);
});

test('the last step cannot be removed', async () => {
  const { plan, order } = await open({ title: 'Release', steps: [step('a', 'notes')] });
  expect(at(plan, 0).canRemove).toBe(false);
  plan.remove(at(plan, 0));
  expect(order()).toEqual(['a']);
});

test('while the form shows JSON there are no steps to draw, and a wrong text has no words about edits', async () => {
  const { plan, form } = await open();
  form.showJson(true);
  expect(plan.steps.value).toEqual([]);
  form.input(form.fields.value[0]!, '{"title": "Release", "steps": 1}');
  expect(plan.edits.value).toBe('You removed 4 steps.');
  form.input(form.fields.value[0]!, '[]');
  expect(plan.edits.value).toBe('');
});
