import type { JsonObject, ToolCallView } from '@banister/session';
import { expect, test } from 'vitest';
import { planWords } from './plan-words.js';
import type { StepWords } from './step-words.js';

const steps: readonly JsonObject[] = [
  { id: 'notes', title: 'Write the notes', task: 'Write.', agent: 'notes' },
  { id: 'announce', title: 'Announce it', task: 'Announce.', agent: 'stranger', after: ['notes'] },
];
const running: StepWords = { state: 'running', title: '', word: 'Running', change: null, reason: null };

function words(
  call: Partial<ToolCallView>,
  more: { isStill?: boolean; isCurrent?: boolean; call?: Partial<StepWords> } = {},
) {
  const whole = {
    type: 'tool-call',
    id: 'call',
    tool: 'plan.carry_out',
    state: 'executing',
    arguments: { title: 'Release', steps },
    ...call,
  } as unknown as ToolCallView;
  const plan = planWords(whole, {
    isStill: false,
    isCurrent: false,
    ...more,
    call: { ...running, ...more.call },
  })!;
  return {
    ...plan,
    steps: plan.steps.map(({ state, agent, agentNumber, word }) => [state, agent, agentNumber, word]),
  };
}

const child = (more: object) => ({
  id: 'c',
  key: 'notes',
  agent: 'notes',
  status: 'running',
  effects: [],
  rounds: [],
  ...more,
});

test('while a plan is written, its last step is being written, and each step says what it follows', () => {
  const { steps: shown, word } = words(
    { state: 'assembling' },
    { isCurrent: true, call: { state: 'writing', word: 'Writing' } },
  );
  expect(word).toBe('Writing');
  expect(shown).toEqual([
    ['ready', 'Notes', 1, ''],
    ['writing', 'Stranger', 0, 'after “Write the notes”'],
  ]);
});

test('a running plan counts its steps, and a step that waits says for which', () => {
  const shown = words({ children: [child({})] as never });
  expect(shown.word).toBe('0 of 2 steps');
  expect(shown.steps[1]).toEqual(['unstarted', 'Stranger', 0, 'Waits for “Write the notes”']);
});

test('an ended plan says which step was skipped, and why', () => {
  const children = [child({ status: 'cancelled' })] as never;
  const shown = words({ state: 'settled', children }, { call: { state: 'done', word: 'Done' } });
  expect(shown.word).toBe('0 of 2 steps done');
  expect(shown.steps[1]).toEqual(['unstarted', 'Stranger', 0, 'Skipped: it follows “Write the notes”']);
});

test('a plan that was refused has the words of the refusal, and its steps have none', () => {
  const shown = words(
    { state: 'settled', rejection: 'declined' },
    { call: { state: 'refused', word: 'You refused', reason: 'Because.' } },
  );
  expect([shown.state, shown.word, shown.reason]).toEqual(['refused', 'You refused', 'Because.']);
  expect(shown.steps.map(([state, , , word]) => [state, word])).toEqual([
    ['unstarted', ''],
    ['unstarted', ''],
  ]);
});

test('after an interruption the steps that wait are not started', () => {
  const shown = words(
    { state: 'interrupted', children: [child({})] as never },
    { isStill: true, call: { state: 'interrupted', word: 'Interrupted' } },
  );
  expect([shown.word, shown.steps[1]![3]]).toEqual(['Interrupted', 'Not started']);
});

test('a plan whose changes were all undone is undone', () => {
  const effects = [{ toolCallId: 'x', toolName: 't', description: '', irreversible: false }];
  const rounds = (reverted: boolean) => [{ parts: [{ type: 'tool-call', id: 'x', reverted }] }];
  const state = (reverted: boolean) =>
    words(
      {
        state: 'settled',
        children: [child({ status: 'completed', effects, rounds: rounds(reverted) })] as never,
      },
      { call: { state: 'done' } },
    ).state;
  expect([state(false), state(true)]).toEqual(['done', 'undone']);
});

test('titles and names are shown safely', () => {
  const shown = words({
    arguments: { title: 'R', steps: [{ ...steps[0]!, title: 'a\u202Eb', agent: 'x\u200By' }] },
  });
  expect(JSON.stringify(shown.steps)).not.toMatch(/[\u200B\u202E]/);
});

test('a call of another tool has no plan', () => {
  expect(
    planWords({ tool: 'board.add_card' } as ToolCallView, {
      call: running,
      isStill: false,
      isCurrent: false,
    }),
  ).toBeNull();
});
