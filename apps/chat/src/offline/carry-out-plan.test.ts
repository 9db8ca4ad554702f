// The plan for a release in a session with its agents, all of them played by the rules.
import { planOf, type Plan } from '@banister/crew/plan';
import { allCallsOf, type AgentSession, type JsonObject } from '@banister/session';
import { memoryLog } from '@banister/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { openRelease } from '../release/open-release.fixture.js';
import { readCommands } from './read-commands.js';

let ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends) await end();
  ends = [];
});

function open(...given: Parameters<typeof openRelease>) {
  const opened = openRelease(...given);
  const { session } = opened;
  ends.push(() => session.dispose());
  /** Answers the questions about a tool; by default approves them. */
  const answer = (tool: string, isApproved = true, args?: (written: JsonObject) => JsonObject) =>
    session.pendingConfirmations.subscribe((all) => {
      for (const { id, call } of all)
        if (call.tool === tool)
          void session.respond(id, {
            approve: isApproved,
            ...(args === undefined ? {} : { arguments: args(call.arguments) }),
          });
    });
  const ask = async (text = 'Plan the release') => (await session.send(text)).text.split('\n\n').at(-1);
  return { ...opened, answer, ask };
}

const calls = (session: AgentSession) => allCallsOf(session.liveTurn.peek() ?? session.turns.peek().at(-1)!);
const planIn = (session: AgentSession): Plan =>
  calls(session).flatMap((call) => planOf(call) ?? [])[0] ?? { title: '', status: 'proposed', steps: [] };
const states = (session: AgentSession) => planIn(session).steps.map(({ id, status }) => `${id} ${status}`);
const laneOf = (session: AgentSession, step: string) =>
  planIn(session).steps.find(({ id }) => id === step)?.child;

test('five steps are proposed after the skill and the board were read, and nothing changes before the approval', async () => {
  const { session, answer, ask, counts } = open();
  const before = counts();
  answer('plan.carry_out', false);
  expect(await ask()).toBe('You said no to the plan, so nothing was done.');
  expect(calls(session).map(({ tool }) => tool)).toEqual([
    'banister.use_domain',
    'board.list_cards',
    'plan.carry_out',
  ]);
  expect(planIn(session)).toMatchObject({ title: 'Release 1.4', status: 'declined' });
  expect(states(session)).toEqual(
    ['notes', 'announce', 'checks', 'rehearse', 'publish'].map((id) => `${id} skipped`),
  );
  expect(counts()).toEqual(before);
});

test('the model reads the skill once in a conversation', async () => {
  const { session, answer, ask } = open();
  answer('plan.carry_out', false);
  await ask();
  await ask('Plan release 2.0');
  expect(calls(session).map(({ tool }) => tool)).toEqual(['board.list_cards', 'plan.carry_out']);
  expect(planIn(session).title).toBe('Release 2.0');
});

test('an approved plan is carried out, its answer tells the changes, and one undo takes all of them back', async () => {
  const { session, answer, ask, counts } = open();
  const before = counts();
  answer('plan.carry_out');
  answer('board.publish_board', false);
  expect(await ask()).toBe(
    'All 5 steps are done, with 8 changes. “Publish the board” changed nothing. All of it is one turn: Undo takes back what can be taken back.',
  );
  expect(counts()).toEqual([before[0]! + 4, before[1]! + 4, before[2]]);
  const announced = laneOf(session, 'announce')!.rounds.at(-1)!.parts;
  // The step reads the result of the step before.
  expect(JSON.stringify(announced)).toContain('> The board opens twice as fast');
  await session.undo({ turnId: session.turns.peek()[0]!.id, child: laneOf(session, 'checks')!.id });
  expect(counts()).toEqual([before[0]! + 4, before[1], before[2]]);
  await session.undo();
  expect(counts()).toEqual(before);
});

test('a step that the user stops skips the step that follows it, the others go on, and the answer says so', async () => {
  const { session, answer, ask, counts } = open({ change: 20 });
  const before = counts();
  answer('plan.carry_out');
  answer('board.publish_board', false);
  const watch = session.operations$.subscribe(() => {
    const checks = session.liveTurn.peek() && laneOf(session, 'checks');
    if (!checks || checks.outcome !== null || allCallsOf(checks)[0]?.state !== 'settled') return;
    watch.unsubscribe();
    queueMicrotask(() => void session.cancel({ child: checks.id }));
  });
  const told = await ask();
  expect(states(session)).toEqual([
    'notes done',
    'announce done',
    'checks cancelled',
    'rehearse skipped',
    'publish done',
  ]);
  expect(told).toMatch(
    /^3 of 5 steps are done, with 3 changes\. You stopped “Add the checks”: \d changes? taken back\. “Rehearse going back” was skipped/,
  );
  expect(counts()).toEqual([before[0]! + 3, before[1], before[2]]);
});

test('what the user approves is carried out: without the removed step, and with the new task', async () => {
  const { session, answer, ask, board } = open();
  answer('plan.carry_out', true, (plan) => {
    const [notes, announce] = plan['steps'] as readonly JsonObject[];
    return { ...plan, steps: [notes!, { ...announce!, task: 'Add a card "Call the press" to Doing' }] };
  });
  expect(await ask()).toContain('All 2 steps are done, with 3 changes.');
  expect(states(session)).toEqual(['notes done', 'announce done']);
  expect(board.find('Call the press')?.place.column).toBe('doing');
  expect(board.find('Post the announcement of 1.4')).toBeUndefined();
});

test('a plan with one step is told in the singular', async () => {
  const { answer, ask } = open();
  answer('plan.carry_out', true, (plan) => ({ ...plan, steps: (plan['steps'] as JsonObject[]).slice(0, 1) }));
  expect(await ask()).toContain('The step is done, with 2 changes.');
});

test('steps that were done before a reload are not done again', async () => {
  const log = memoryLog();
  const { session, board, answer } = open({ log });
  answer('plan.carry_out');
  const turn = session.send('Plan the release').catch(() => {});
  await vi.waitFor(
    () =>
      expect(states(session).slice(0, 4)).toEqual(
        ['notes', 'announce', 'checks', 'rehearse'].map((id) => `${id} done`),
      ),
    { timeout: 20_000, interval: 5 },
  );
  // The question about the publication is open.
  const cards = board.columns.peek().flatMap((column) => column.cards.map(({ title }) => title));
  await session.dispose({ turn: 'leave' });
  await turn;
  const next = open({ log, board });
  await vi.waitFor(() => expect(next.session.interrupted.peek()).not.toBeNull(), { timeout: 20_000 });
  next.answer('board.publish_board', false);
  expect(await next.session.resume()).toMatchObject({
    text: expect.stringContaining('All 5 steps are done, with 8 changes.') as string,
  });
  expect(board.columns.peek().flatMap((column) => column.cards.map(({ title }) => title))).toEqual(cards);
});

test('“Why?” tells the rule and the plan', async () => {
  const { answer, ask, session } = open();
  answer('plan.carry_out', true, (plan) => ({ ...plan, steps: (plan['steps'] as JsonObject[]).slice(0, 1) }));
  await ask();
  const { text } = await session.send('Why?');
  expect(text).toContain('“plan the release” proposes five steps');
  expect(text).toContain('Carried out the plan “Release 1.4”.');
});

test.each([
  ['Plan the release', 'carry-out', '1.4'],
  ['Please plan a release', 'carry-out', '1.4'],
  ['plan release 2', 'carry-out', '2'],
  ['Make a plan for the next release', 'carry-out', '1.4'],
  ['Plan the v1.5 release', 'carry-out', '1.5'],
  ['Organise our release 3.1', 'carry-out', '3.1'],
  ['Prepare the release', 'release', '1.4'],
  ['Prepare release 1.4', 'release', '1.4'],
])('“%s” is read as %s of %s', (text, type, release) => {
  expect(readCommands(text)).toEqual([{ type, release }]);
});

test.each(['Plan the product release', 'Plan a product launch'])('“%s” is still a launch', (text) => {
  expect(readCommands(text)).toMatchObject([{ type: 'plan' }]);
});
