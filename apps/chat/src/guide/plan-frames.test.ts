import { allCallsOf } from '@banister/session';
import { signal } from '@banister/session/signals';
import { planOf } from '@banister/crew/plan';
import { afterEach, expect, test, vi } from 'vitest';
import { openRelease } from '../release/open-release.fixture.js';
import { createQuestions } from '../session/questions.js';
import { createTurnUndo } from '../session/turn-undo.js';
import { createGuideLine } from './guide-line.js';
import { pageClock } from './page-clock.js';
import { createScenario, YOUR_TURN } from './scenario.js';

let end = () => Promise.resolve();
afterEach(() => end());

function open() {
  const { session, toolOf, counts } = openRelease({ change: 15 });
  end = () => session.dispose();
  const current = signal(session);
  const guide = createGuideLine(current);
  const turnUndo = createTurnUndo(current, { focus: () => {} });
  const questions = createQuestions({
    session: current,
    changeOf: () => null,
    pickersOf: () => ({}),
    toolOf,
    cues: { focus: () => {}, say: () => {} },
    clock: pageClock,
  });
  const lines: string[] = [];
  guide.shown.subscribe((line) => void (line !== null && lines.push(line.text)));
  let input = () => {};
  const scenario = createScenario({
    session: current,
    guide,
    turnUndo,
    questions,
    clock: pageClock,
    pace: { read: 2, press: 1 },
    watchInput: (onInput) => {
      input = onInput;
      return () => {};
    },
  });
  return { session, scenario, questions, lines, counts, input: () => input() };
}

test('the scenario of a plan changes the plan, stops one agent, refuses the publication, and undoes the turn', async () => {
  const { session, scenario, lines, counts } = open();
  const before = counts();
  scenario.start('plan');
  await vi.waitFor(() => expect(lines.at(-1)).toBe(YOUR_TURN), { timeout: 30_000 });
  const call = allCallsOf(session.turns.peek()[0]!).find(({ tool }) => tool === 'plan.carry_out')!;
  expect(planOf(call)!.steps.map(({ title, status }) => `${title}: ${status}`)).toEqual([
    'Write the notes for customers: done',
    'Add the checks: cancelled',
    'Rehearse going back: skipped',
    'Publish the board: done',
    'Announce the release: done',
  ]);
  expect(lines.join('\n')).toMatch(
    /A plan is written first[^]*The plan is yours[^]*Approved[^]*Now one agent is stopped[^]*The scenario refuses it[^]*Undo says what it takes back/,
  );
  expect(counts()).toEqual(before);
  expect(scenario.isPlaying.peek()).toBe(false);
});

test('an input of the user ends the scenario of a plan, and the plan waits for the user', async () => {
  const { session, scenario, questions, lines, input } = open();
  scenario.start('plan');
  await vi.waitFor(() => expect(lines.at(-1)).toContain('The plan is yours'), {
    timeout: 30_000,
    interval: 1,
  });
  input();
  expect(lines.at(-1)).toBe(YOUR_TURN);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(questions.open.peek()).toHaveLength(1);
  expect(session.phase.peek()).toBe('confirming');
});
