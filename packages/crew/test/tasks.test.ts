// Tasks in the background: sessions of their own, whose ends a session tells.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { callTools as callOf, fail, gate, memoryLog, say, settle, stall } from '@banister/testing';
import {
  AgentSessionError,
  confirmTools,
  preloadTurns,
  textOf,
  type AgentSession,
  type SessionLog,
} from '@banister/session';
import { backgroundTasks, readTaskEnd } from '@banister/crew/tasks';
import { add, asked, Cards, openPage, startTask, scout, type Given } from './task-page.js';

beforeAll(() => preloadTurns());

async function until(isTrue: () => boolean): Promise<void> {
  await expect.poll(isTrue, { interval: 5, timeout: 10_000 }).toBe(true);
}

const pages: { close(): Promise<void> }[] = [];
function page(given: Partial<Given> = {}) {
  const made = openPage({ log: memoryLog(), cards: new Cards(), ...given });
  pages.push(made);
  return made;
}
afterEach(async () => {
  for (const one of pages.splice(0)) await one.close();
});

const states = ({ tasks }: ReturnType<typeof openPage>) =>
  tasks.tasks.value.map(({ title, status }) => `${title}: ${status}`);
const lastResult = ({ provider }: ReturnType<typeof openPage>) =>
  JSON.stringify(provider.requests.at(-1)!.messages.at(-1)!.parts);

describe('a task', () => {
  it('agents T1, T4: is a session of its own; the call that starts it is answered at once', async () => {
    const more = gate();
    const cards = new Cards();
    const log = memoryLog();
    const one = page({
      log,
      cards,
      answers: [startTask('Search'), say('It runs.'), say('It is done.')],
      work: { Search: [say(['Look', more, 'ed.'])] },
    });
    const { text } = await one.session.send('Search it');
    expect(text).toBe('It runs.');
    expect(lastResult(one)).toContain('{"id":"1","status":"started"}');
    await more.reached;
    expect(states(one)).toEqual(['Search: running']);
    const task = one.tasks.session('chat/task/1')!;
    expect(asked(task)).toEqual([]);
    expect(task.liveTurn.value).toMatchObject({ from: { task: 'chat/task/1' } });
    more.open();
    await until(() => states(one)[0] === 'Search: completed');
    expect((await log.list({ prefix: 'chat/task/' })).map(({ id, title }) => [id, title])).toEqual([
      ['chat/task/1', 'Search'],
    ]);
  });

  it("agents T3, T5: its end is told once, by a turn whose message is not the user's", async () => {
    const one = page({ answers: [startTask('Search'), say('It runs.'), say('It is done.')] });
    await one.session.send('Search it');
    await until(() => one.session.state.turns.length === 2);
    await until(() => one.tasks.tasks.value[0]!.delivered);
    expect(asked(one.session)).toEqual([
      'user: Search it',
      'chat/task/1: A task in the background has ended. The user did not write this, and the text in the JSON is the answer of the agent: ' +
        '{"task":"1","title":"Search","agent":"scout","status":"completed","text":"Search is done.","changed":["Added Search"]}',
    ]);
    expect(one.tasks.tasks.value).toMatchObject([
      { id: 'chat/task/1', agent: 'scout', title: 'Search', task: 'Do Search.', status: 'completed' },
    ]);
    expect(one.tasks.tasks.value[0]!.endedAt).toBeGreaterThanOrEqual(one.tasks.tasks.value[0]!.startedAt);
  });

  it('agents T3: its end waits until the turn of the user has ended, and while the queue is paused', async () => {
    const more = gate();
    const one = page({ answers: [startTask('Search'), say(['It ', more, 'runs.']), say('Told.')] });
    const turn = one.session.send('Search it');
    await more.reached;
    await until(() => one.session.state.queue.length === 1);
    expect(one.session.state.queue).toMatchObject([{ id: 'chat/task/1', from: { task: 'chat/task/1' } }]);
    expect(one.tasks.tasks.value[0]).toMatchObject({ status: 'completed', delivered: true });
    const cancelled = one.session.cancel({ sideEffects: 'keep' });
    await expect(turn).rejects.toMatchObject({ code: 'cancelled' });
    await cancelled;
    expect(one.session.state).toMatchObject({ queuePaused: true, queue: [{ id: 'chat/task/1' }] });
    await one.session.resumeQueue();
    await until(() => one.session.state.turns.length === 2);
  });

  it('agents T3: a message that the user removes is not told again, also after a reload', async () => {
    const more = gate();
    const [log, cards] = [memoryLog(), new Cards()];
    const one = page({ log, cards, answers: [startTask('Search'), say(['It ', more, 'runs.'])] });
    const turn = one.session.send('Search it');
    await until(() => one.session.state.queue.length === 1);
    await one.session.dequeue('chat/task/1');
    more.open();
    await turn;
    await pages.pop()!.close();
    const again = page({ log, cards });
    await until(() => again.tasks.tasks.value[0]?.delivered === true);
    await until(() => again.session.link.value.open);
    expect(again.session.state.queue).toEqual([]);
    expect(again.session.state.turns).toHaveLength(1);
  });

  it('agents T3: an end that waits in the queue is told once after a reload', async () => {
    const more = gate();
    const [log, cards] = [memoryLog(), new Cards()];
    const one = page({ log, cards, answers: [startTask('Search'), say(['It ', more, 'runs.'])] });
    const turn = one.session.send('Search it').catch(() => {});
    await until(() => one.session.state.queue.length === 1);
    await pages.pop()!.close();
    await turn;
    const again = page({ log, cards, answers: [say('It runs.'), say('Told.')] });
    await until(() => again.tasks.tasks.value[0]?.delivered === true);
    expect(again.session.state.queue).toMatchObject([{ id: 'chat/task/1' }]);
    await again.session.resume();
    await again.session.resumeQueue();
    await until(() => again.session.state.turns.length === 2);
    expect(asked(again.session).filter((text) => text.startsWith('chat/task/1'))).toHaveLength(1);
  });

  it('agents T3: with deliver none, no message comes, and the model can ask', async () => {
    const ask = { tool: 'tasks.result', args: { id: '1' } };
    const one = page({
      deliver: 'none',
      answers: [startTask('Search'), say('It runs.'), callOf(ask), say('Read.')],
    });
    await one.session.send('Search it');
    await until(() => states(one)[0] === 'Search: completed');
    await one.session.send('And?');
    expect(lastResult(one)).toContain('"text":"Search is done."');
    expect(asked(one.session)).toEqual(['user: Search it', 'user: And?']);
    expect(one.tasks.tasks.value[0]!.delivered).toBe(false);
  });

  it('agents T1: asks the user among the questions of all tasks, and an answer lets it go on', async () => {
    const one = page({
      answers: [startTask('Search'), say('It runs.'), say('Told.')],
      taskSession: { guards: [confirmTools('cards.add')] },
    });
    await one.session.send('Search it');
    await until(() => one.tasks.questions.value.length === 1);
    expect(states(one)).toEqual(['Search: asking']);
    expect(one.session.state.pendingConfirmations).toEqual([]);
    const [question] = one.tasks.questions.value;
    expect(question).toMatchObject({ task: 'chat/task/1', call: { tool: 'cards.add' } });
    await question!.approve();
    await until(() => states(one)[0] === 'Search: completed');
  });

  it('agents T1: shows what it has used, while it runs and after its end', async () => {
    const more = gate();
    const usage = { inputTokens: 40, outputTokens: 2 };
    const one = page({
      deliver: 'none',
      answers: [startTask('Search'), startTask('Silent'), say('They run.')],
      work: {
        Search: [
          callOf({ tool: 'cards.add', args: { title: 'A' } }, { type: 'usage', usage }),
          say(['Wait', more, '.']),
        ],
      },
    });
    await one.session.send('Search it');
    await more.reached;
    expect(one.tasks.tasks.value[0]).toMatchObject({ status: 'running', usage });
    await until(() => states(one)[1] === 'Silent: completed');
    expect(one.tasks.tasks.value[1]!.usage).toBeNull();
    more.open();
    await until(() => states(one)[0] === 'Search: completed');
    expect(one.tasks.tasks.value[0]!.usage).toMatchObject(usage);
  });

  it.each([
    ['an unknown agent', { agent: 'stranger', title: 'T', task: 'T' }],
    ['no title', { agent: 'scout', title: '', task: 'T' }],
    ['no task', { agent: 'scout', title: 'T', task: '' }],
    ['another field', { agent: 'scout', title: 'T', task: 'T', model: 'large' }],
  ])('agents T4: with %s is not started', async (_name, args) => {
    const one = page({ answers: [callOf({ tool: 'tasks.start', args }), say('No.')] });
    await one.session.send('Search it');
    expect(one.tasks.tasks.value).toEqual([]);
    expect(lastResult(one)).toContain('The arguments of tasks.start are not valid');
  });

  it('agents T3: its answer is told up to 8,000 characters', async () => {
    const one = page({
      answers: [startTask('A'), startTask('B'), say('They run.'), say('Told.'), say('Told.')],
      work: { A: [say('a'.repeat(8_000))], B: [say('b'.repeat(8_001))] },
    });
    await one.session.send('Search it');
    await until(() => one.session.state.turns.length === 3);
    const told = asked(one.session).join('\n');
    expect(told).toContain(`"${'a'.repeat(8_000)}"`);
    expect(told).toContain(`"${'b'.repeat(8_000)}…"`);
  });

  it('agents T4: four tasks run, and the others wait in order', async () => {
    const gates = Array.from({ length: 6 }, () => gate());
    const titles = gates.map((_, index) => `T${index + 1}`);
    const one = page({
      deliver: 'none',
      answers: [...titles.map(startTask), say('They run.')],
      session: { limits: { maxToolCalls: 20, maxRounds: 20 } },
      work: Object.fromEntries(titles.map((title, index) => [title, [say([title, gates[index]!, '.'])]])),
    });
    await one.session.send('Start six');
    await Promise.all(gates.slice(0, 4).map(({ reached }) => reached));
    expect(states(one)).toEqual(
      titles.map((title, index) => `${title}: ${index < 4 ? 'running' : 'waiting'}`),
    );
    gates[2]!.open();
    await gates[4]!.reached;
    expect(states(one)).toEqual([
      'T1: running',
      'T2: running',
      'T3: completed',
      'T4: running',
      'T5: running',
      'T6: waiting',
    ]);
    for (const each of gates) each.open();
    await until(() => states(one).every((state) => state.endsWith('completed')));
  });

  it('agents T4: the tasks that ended first are removed from the log, and no number is given twice', async () => {
    const [log, cards] = [memoryLog(), new Cards()];
    const one = page({
      log,
      cards,
      maxKept: 2,
      otherwise: ({ messages }) => {
        const text = textOf(messages.at(-1)!);
        return text.startsWith('Start') ? startTask(text.slice(6)) : say('Yes.');
      },
    });
    for (const title of ['A', 'B', 'C', 'D']) {
      await one.session.send(`Start ${title}`);
      await until(() => one.tasks.tasks.value.some((task) => task.title === title && task.delivered));
      await until(() => !one.session.isRunning.value && one.session.state.queue.length === 0);
    }
    await until(() => one.tasks.tasks.value.length === 2);
    expect(states(one)).toEqual(['C: completed', 'D: completed']);
    await expect.poll(async () => (await log.list({ prefix: 'chat/task/' })).length).toBe(2);
    expect(one.tasks.tasks.value.map(({ id }) => id)).toEqual(['chat/task/3', 'chat/task/4']);
  });

  it.each([
    ['fails', [fail('auth')], 'failed', /"status":"failed","problem":"/],
    [
      'is stopped by a limit',
      [add('A'), add('B')],
      'stopped',
      /"status":"stopped","problem":".*","changed":\["Added A"/,
    ],
  ])('agents T3: that %s is told with the reason', async (_name, work, status, message) => {
    const one = page({
      answers: [startTask('Search'), say('It runs.'), say('Told.')],
      work: { Search: work },
      taskSession: { limits: { maxRounds: 1, onTrip: 'stop' } },
    });
    await one.session.send('Search it');
    await until(() => one.session.state.turns.length === 2);
    expect(states(one)).toEqual([`Search: ${status}`]);
    expect(asked(one.session)[1]).toMatch(message);
  });

  it('agents T1: whose session cannot be made has failed, and says why', async () => {
    const one = page({
      answers: [startTask('Search'), say('It runs.'), say('Told.')],
      open: () => {
        throw new Error('No such agent.');
      },
    });
    await one.session.send('Search it');
    await until(() => one.session.state.turns.length === 2);
    expect(states(one)).toEqual(['Search: failed']);
    expect(asked(one.session)[1]).toContain('"problem":"No such agent."');
  });
});

describe('a task and what it changes', () => {
  it('agents T2: is no part of the turn that started it; its own undo takes it back', async () => {
    const cards = new Cards();
    const one = page({ cards, answers: [startTask('Search'), say('It runs.'), say('Told.')] });
    await one.session.send('Search it');
    await until(() => one.session.state.turns.length === 2);
    expect(cards.titles).toEqual(['Search']);
    const report = await one.session.undo();
    expect(report.failed).toMatchObject([{ description: 'Started the task "Search"' }]);
    expect(cards.titles).toEqual(['Search']);
    expect((await one.tasks.undo('chat/task/1')).done).toMatchObject([{ description: 'Added Search' }]);
    expect(cards.titles).toEqual([]);
  });

  it('agents T2: an edit of the user stays when a task is undone', async () => {
    const cards = new Cards();
    const one = page({ cards, answers: [startTask('Search'), say('It runs.'), say('Told.')] });
    await one.session.send('Search it');
    await until(() => one.session.state.turns.length === 2);
    const [key] = cards.byKey.keys();
    cards.byKey.set(key!, 'Edited');
    expect((await one.tasks.undo('chat/task/1')).failed).toHaveLength(1);
    expect(cards.titles).toEqual(['Edited']);
  });

  it('agents T2: its change ends the redo of the session in the same domain', async () => {
    const cards = new Cards();
    const more = gate();
    const one = page({
      cards,
      deliver: 'none',
      answers: [startTask('Search'), say('It runs.'), add('Mine'), say('Added.')],
      work: {
        Search: [callOf('Wait.', more, { tool: 'cards.add', args: { title: 'Other' } }), say('Done.')],
      },
    });
    await one.session.send('Search it');
    await more.reached;
    await one.session.send('Add mine');
    await one.session.undo();
    expect(one.session.state.canRedo).toBe(true);
    more.open();
    await until(() => states(one)[0] === 'Search: completed');
    await until(() => !one.session.state.canRedo);
    expect(cards.titles).toEqual(['Other']);
  });

  it('agents T1: cancel takes back what it changed, and the model is told', async () => {
    const cards = new Cards();
    const one = page({
      cards,
      answers: [startTask('Search'), say('It runs.'), say('Told.')],
      work: { Search: [add('A'), stall('Now')] },
    });
    await one.session.send('Search it');
    await until(() => one.tasks.session('chat/task/1')!.currentText.value === 'Now');
    const report = await one.tasks.cancel('chat/task/1');
    expect(report).toMatchObject({ cancelled: true, undo: { done: [{ description: 'Added A' }] } });
    expect(states(one)).toEqual(['Search: cancelled']);
    expect(cards.titles).toEqual([]);
    await until(() => one.session.state.turns.length === 2);
    expect(asked(one.session)[1]).toContain('"status":"cancelled","text":"Now","takenBack":["Added A"]');
  });

  it('agents T1: cancel of a task that waits lets it never begin', async () => {
    const one = page({
      maxRunning: 1,
      deliver: 'none',
      answers: [startTask('First'), startTask('Second'), say('They run.')],
      work: { First: [stall('Now')] },
    });
    await one.session.send('Two');
    expect(states(one)).toEqual(['First: running', 'Second: waiting']);
    expect(await one.tasks.cancel('chat/task/2')).toMatchObject({ cancelled: true, landed: 'idle' });
    expect(states(one)).toEqual(['First: running', 'Second: cancelled']);
    expect(one.providers.get('chat/task/2')!.requests).toEqual([]);
    await one.tasks.cancel('chat/task/1', { immediate: true });
  });

  it('agents T2: a rollback of the turn that started a task cancels the task', async () => {
    const cards = new Cards();
    const more = gate();
    const one = page({
      cards,
      answers: [startTask('Search'), say(['It ', more, 'runs.'])],
      work: { Search: [add('A'), stall('Now')] },
    });
    const turn = one.session.send('Search it');
    await more.reached;
    await until(() => one.tasks.session('chat/task/1')!.currentText.value === 'Now');
    const report = await one.session.cancel();
    await expect(turn).rejects.toMatchObject({ code: 'cancelled' });
    expect(report.undo.done).toMatchObject([{ description: 'Started the task "Search"' }]);
    expect(states(one)).toEqual(['Search: cancelled']);
    expect(cards.titles).toEqual([]);
  });

  it('agents T1: the model lists its tasks, looks at a task, and stops a task', async () => {
    const one = page({
      deliver: 'none',
      answers: [
        startTask('Search'),
        callOf({ tool: 'tasks.list', args: {} }, { tool: 'tasks.result', args: { id: '1' } }),
        callOf({ tool: 'tasks.cancel', args: { id: '1' } }),
        callOf({ tool: 'tasks.cancel', args: { id: '1' } }, { tool: 'tasks.result', args: { id: '7' } }),
        say('Stopped.'),
      ],
      work: { Search: [stall('Now')] },
    });
    await one.session.send('Search it');
    const results = one.session.state.turns[0]!.rounds.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-call' ? [JSON.stringify(part.result!.content)] : [])),
    );
    expect(results[1]).toContain('"title":"Search","agent":"scout","status":"running"');
    expect(results[2]).toContain('"status":"running"');
    expect(results[3]).toContain('"status":"cancelled"');
    expect(results[4]).toContain('The task has ended: cancelled.');
    expect(results[5]).toContain('There is no task \\"7\\". Tasks: 1.');
    expect(one.session.state.turns[0]!.effects).toMatchObject([
      { description: 'Started the task "Search"' },
      { description: 'Stopped the task "Search"', irreversible: true },
    ]);
  });
});

describe('tasks and pages', () => {
  it('agents T1: a reload goes on with a task, and asks its question again', async () => {
    const [log, cards] = [memoryLog(), new Cards()];
    const given = { log, cards, taskSession: { guards: [confirmTools('cards.add')] } };
    const one = page({ ...given, answers: [startTask('Search'), say('It runs.')] });
    await one.session.send('Search it');
    await until(() => one.tasks.questions.value.length === 1);
    await pages.pop()!.close();
    const again = page({ ...given, answers: [say('Told.')] });
    await until(() => again.tasks.questions.value.length === 1);
    await again.tasks.questions.value[0]!.approve();
    await until(() => states(again)[0] === 'Search: completed');
    await until(() => again.session.state.turns.length === 2);
    expect(cards.added).toEqual(['Search']);
  });

  it('agents T1: a task that waits for the user after a reload is interrupted, and leaves its place to others', async () => {
    const [log, cards] = [memoryLog(), new Cards()];
    const given = {
      log,
      cards,
      deliver: 'none',
      maxRunning: 1,
      taskSession: { onInterrupted: 'wait' },
    } as const;
    const one = page({
      ...given,
      answers: [startTask('First'), startTask('Second'), say('They run.')],
      work: { First: [stall('Now')] },
    });
    await one.session.send('Two');
    await until(() => one.tasks.session('chat/task/1')!.currentText.value === 'Now');
    await pages.pop()!.close();
    const again = page(given);
    await until(() => states(again)[1] === 'Second: completed');
    expect(states(again)[0]).toBe('First: interrupted');
    await again.tasks.session('chat/task/1')!.resume();
    await until(() => states(again)[0] === 'First: completed');
    expect(cards.titles.toSorted()).toEqual(['First', 'Second']);
  });

  it('agents T1: cancel of an interrupted task takes back what it changed', async () => {
    const [log, cards] = [memoryLog(), new Cards()];
    const given = { log, cards, taskSession: { onInterrupted: 'wait' } } as const;
    const one = page({
      ...given,
      answers: [startTask('First'), say('It runs.')],
      work: { First: [add('A'), stall('Now')] },
    });
    await one.session.send('One');
    await until(() => one.tasks.session('chat/task/1')!.currentText.value === 'Now');
    await pages.pop()!.close();
    const again = page({ ...given, deliver: 'none' });
    await until(() => states(again)[0] === 'First: interrupted');
    expect(await again.tasks.cancel('chat/task/1')).toMatchObject({
      cancelled: true,
      undo: { done: [{ description: 'Added A' }] },
    });
    expect(states(again)).toEqual(['First: failed']);
    expect(cards.titles).toEqual([]);
  });

  it('agents T1: a task that waits can be looked at, and begins when there is room; after a reload tasks are in their order', async () => {
    const [log, cards] = [memoryLog(), new Cards()];
    const more = gate();
    const one = page({
      log,
      cards,
      maxRunning: 1,
      deliver: 'none',
      answers: [startTask('First'), startTask('Second'), startTask('Third'), say('They run.')],
      work: { First: [say(['Wait', more, '.'])] },
    });
    await one.session.send('Three');
    await more.reached;
    await expect.poll(() => one.tasks.session('chat/task/2')!.link.value.open).toBe(true);
    expect(states(one)).toEqual(['First: running', 'Second: waiting', 'Third: waiting']);
    more.open();
    await until(() => states(one).join() === 'First: completed,Second: completed,Third: completed');
    await pages.pop()!.close();
    const again = page({ log, cards });
    await until(() => again.tasks.tasks.value.length === 3);
    expect(states(again)).toEqual(['First: completed', 'Second: completed', 'Third: completed']);
  });

  it('agents T1: undo of a task works after a reload', async () => {
    const [log, cards] = [memoryLog(), new Cards()];
    const one = page({ log, cards, answers: [startTask('Search'), say('It runs.'), say('Told.')] });
    await one.session.send('Search it');
    await until(() => one.tasks.tasks.value[0]!.delivered && one.session.state.turns.length === 2);
    await pages.pop()!.close();
    const again = page({ log, cards });
    await until(() => again.tasks.tasks.value.length === 1);
    expect(again.providers.size).toBe(0);
    expect((await again.tasks.undo('chat/task/1')).done).toMatchObject([{ description: 'Added Search' }]);
    expect(cards.titles).toEqual([]);
  });

  it('agents T1, T3: a second tab shows the tasks of the first, answers a question, and tells no end twice', async () => {
    const [log, cards] = [memoryLog(), new Cards()];
    const given = { log, cards, taskSession: { guards: [confirmTools('cards.add')] } };
    const one = page({ ...given, answers: [startTask('Search'), say('It runs.'), say('Told.')] });
    await until(() => one.session.link.value.open);
    const two = page(given);
    await until(() => two.session.link.value.role === 'follower');
    await one.session.send('Search it');
    await until(() => two.tasks.questions.value.length === 1);
    await two.tasks.questions.value[0]!.approve();
    await until(() => states(two)[0] === 'Search: completed' && states(one)[0] === 'Search: completed');
    await until(() => one.session.state.turns.length === 2 && !one.session.isRunning.value);
    await until(() => one.tasks.tasks.value[0]!.delivered && two.tasks.tasks.value[0]!.delivered);
    expect(asked(one.session)).toHaveLength(2);
    expect(cards.added).toEqual(['Search']);
  });

  it('agents T1, T3: a second tab goes on with a task when the first tab is closed, and its end is told once', async () => {
    const [log, cards] = [memoryLog(), new Cards()];
    const one = page({
      log,
      cards,
      answers: [startTask('Search'), say('It runs.')],
      work: { Search: [add('Search'), stall('Now')] },
    });
    await until(() => one.session.link.value.open);
    const two = page({ log, cards, answers: [say('Told.')] });
    await until(() => two.session.link.value.role === 'follower');
    await one.session.send('Search it');
    await until(() => two.tasks.session('chat/task/1')?.currentText.value === 'Now');
    await one.close();
    await until(() => states(two)[0] === 'Search: completed');
    await until(() => two.tasks.tasks.value[0]!.delivered);
    await two.session.resumeQueue();
    await until(() => two.session.state.turns.length === 2);
    expect(asked(two.session).map((text) => text.split(':', 1)[0])).toEqual(['user', 'chat/task/1']);
    expect(cards.added).toEqual(['Search']);
  });

  it('agents T1: notes of other sessions below the same id are no tasks', async () => {
    const log = memoryLog();
    await log.describe('chat/task/9', { note: 'mine' });
    await log.describe('chat/task/8', { note: '{"version":1,"agent":"scout"}' });
    await log.describe('chat/task/x', {
      note: JSON.stringify({
        info: { id: 'chat/task/x', agent: 'a', title: 't', task: 't', startedAt: 1 },
        key: 'k',
      }),
    });
    const nested = { id: 'chat/task/1/task/7', agent: 'a', title: 't', task: 't', startedAt: 1 };
    await log.describe(nested.id, { note: JSON.stringify({ info: nested, key: 'k' }) });
    const one = page({ log, answers: [startTask('Search'), say('It runs.'), say('Told.')] });
    await one.session.send('Search it');
    expect(one.tasks.tasks.value.map(({ id }) => id)).toEqual(['chat/task/1']);
  });

  it('agents T3: an end that the session could not save is told when a session is attached again', async () => {
    const report = vi.fn();
    vi.stubGlobal('reportError', report);
    const one = page({ detached: true, answers: [startTask('Search'), say('It runs.'), say('Told.')] });
    const broken = {
      ...one.session,
      enqueue: () => Promise.reject(new AgentSessionError('storage', 'Full.')),
    } as AgentSession;
    const detach = one.tasks.attach(broken);
    await one.session.send('Search it');
    await until(() => report.mock.calls.length > 0);
    expect(one.tasks.tasks.value[0]).toMatchObject({ status: 'completed', delivered: false });
    detach();
    one.tasks.attach(one.session);
    await until(() => one.session.state.turns.length === 2);
    vi.unstubAllGlobals();
  });

  it('agents T1: a task that could not begin here is interrupted, and begins when a session is attached again', async () => {
    vi.stubGlobal('reportError', vi.fn());
    let isAway = true;
    const one = page({
      detached: true,
      answers: [startTask('Search'), say('It runs.'), say('Told.')],
      taskSession: {
        ports: {
          journal: {
            write: async () => {
              if (isAway) throw new Error('Full.');
            },
          },
        },
        log: undefined,
        id: undefined,
      } as never,
    });
    await one.session.send('Search it');
    await until(() => states(one)[0] === 'Search: interrupted');
    isAway = false;
    one.tasks.attach(one.session);
    await until(() => states(one)[0] === 'Search: completed');
    vi.unstubAllGlobals();
  });

  it('agents T1: a list that is read while a task is being kept has the task once', async () => {
    const inner = memoryLog();
    const kept = gate();
    const log: SessionLog = {
      ...inner,
      async describe(id, about) {
        await inner.describe(id, about);
        if (!kept.isOpen) await kept.pass();
      },
    };
    const one = page({ log, detached: true, answers: [startTask('Search'), say('It runs.'), say('Told.')] });
    const turn = one.session.send('Search it');
    await kept.reached;
    one.tasks.attach(one.session);
    await settle();
    kept.open();
    await turn;
    await until(() => states(one)[0] === 'Search: completed');
    expect(one.tasks.tasks.value).toHaveLength(1);
  });

  it('agents T3: an end that was told is not enqueued again after a reload', async () => {
    const [log, cards] = [memoryLog(), new Cards()];
    const one = page({ log, cards, answers: [startTask('Search'), say('It runs.'), say('Told.')] });
    await one.session.send('Search it');
    await until(() => one.tasks.tasks.value[0]!.delivered && one.session.state.turns.length === 2);
    await until(() => !one.session.isRunning.value);
    await settle();
    await pages.pop()!.close();
    const again = page({ log, cards, detached: true });
    const enqueue = vi.fn(again.session.enqueue);
    again.tasks.attach({ ...again.session, enqueue });
    await until(() => again.tasks.tasks.value[0]?.delivered === true);
    await settle();
    expect(enqueue).not.toHaveBeenCalled();
  });

  it('agents T1: dispose begins no task that waits', async () => {
    const more = gate();
    const one = page({
      maxRunning: 1,
      deliver: 'none',
      answers: [startTask('First'), startTask('Second'), say('They run.')],
      work: { First: [say(['Wait', more, '.'])] },
    });
    await one.session.send('Two');
    await more.reached;
    await one.tasks.dispose();
    more.open();
    await settle();
    expect([...one.providers.keys()]).toEqual(['chat/task/1']);
  });

  it('agents T1: a log that cannot be read makes the start fail, and no turn', async () => {
    const report = vi.fn();
    vi.stubGlobal('reportError', report);
    const log: SessionLog = { ...memoryLog(), list: () => Promise.reject(new Error('Away.')) };
    const one = page({ log, answers: [startTask('Search'), say('It did not start.')] });
    const { text } = await one.session.send('Search it');
    expect(text).toBe('It did not start.');
    expect(lastResult(one)).toContain('Away.');
    expect(report).toHaveBeenCalled();
    vi.unstubAllGlobals();
  });
});

describe('a task at a bad moment', () => {
  const lives = async (isOver: () => boolean) => {
    await until(isOver);
    await settle();
  };

  it('agents T1: ends, and leaves its place to others, when the session that it would tell was disposed', async () => {
    const more = gate();
    const cards = new Cards();
    const one = page({
      cards,
      maxRunning: 1,
      answers: [startTask('A'), startTask('B'), say('They run.')],
      work: { A: [callOf('Wait.', more, { tool: 'cards.add', args: { title: 'A' } }), say('A.')] },
    });
    await one.session.send('Two');
    await more.reached;
    await one.session.dispose();
    more.open();
    await until(() => states(one).join() === 'A: completed,B: completed');
    expect((await one.tasks.undo('chat/task/1')).done).toHaveLength(1);
  });

  it('agents T2: undo of its start after a reload reads the list first, and cancels the task', async () => {
    const [inner, cards] = [memoryLog(), new Cards()];
    const given = { cards, deliver: 'none', work: { A: [add('A'), stall('Now')] } } as const;
    const one = page({ ...given, log: inner, answers: [startTask('A'), say('It runs.')] });
    await one.session.send('A');
    await until(() => one.tasks.session('chat/task/1')?.currentText.value === 'Now');
    await pages.pop()!.close();
    const list = gate();
    const log: SessionLog = {
      ...inner,
      async list(query) {
        await list.pass();
        return await inner.list(query);
      },
    };
    const two = page({ cards, deliver: 'none', log, work: { A: [stall('Later')] } });
    const undone = two.session.undo();
    await settle();
    list.open();
    expect((await undone).done).toMatchObject([{ description: 'Started the task "A"' }]);
    expect(states(two)[0]).toMatch(/cancelled|failed/);
    expect(cards.titles).toEqual([]);
  });

  it('agents T2: undo of its start while it ends says what stays', async () => {
    for (let ticks = 0; ticks < 60; ticks += 3) {
      const cards = new Cards();
      const more = gate();
      const one = page({
        cards,
        deliver: 'none',
        answers: [startTask('A'), say('It runs.')],
        work: { A: [add('A'), say(['x', more, 'y'])] },
      });
      await one.session.send('A');
      await more.reached;
      more.open();
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      const { done, failed } = await one.session.undo();
      await until(() => one.tasks.tasks.value[0]!.endedAt !== undefined);
      expect({ ticks, done: done.length, failed: failed.length, titles: cards.titles }).toEqual(
        cards.titles.length === 0
          ? { ticks, done: 1, failed: 0, titles: [] }
          : { ticks, done: 0, failed: 1, titles: ['A'] },
      );
    }
  });

  it('agents T2: undo of its start says that an edit of the user stays', async () => {
    const cards = new Cards();
    const one = page({
      cards,
      deliver: 'none',
      answers: [startTask('A'), say('It runs.')],
      work: { A: [add('A'), stall('Now')] },
    });
    await one.session.send('A');
    await until(() => one.tasks.session('chat/task/1')!.currentText.value === 'Now');
    cards.byKey.set([...cards.byKey.keys()][0]!, 'Edited');
    expect((await one.session.undo()).failed).toMatchObject([{ description: 'Started the task "A"' }]);
    expect(cards.titles).toEqual(['Edited']);
  });

  it('agents T2: undo of its start after its own undo is done, and no start is in the way of another', async () => {
    const one = page({
      deliver: 'none',
      answers: [startTask('A'), say('It runs.'), startTask('B'), say('It runs.')],
      work: { A: [stall('Now')] },
    });
    await one.session.send('A');
    await one.session.send('B');
    await until(() => states(one)[1] === 'B: completed');
    const [first, second] = one.session.state.turns;
    expect((await one.session.undo({ turnId: second!.id })).failed).toHaveLength(1);
    await one.tasks.undo('chat/task/2');
    expect((await one.session.undo({ turnId: second!.id })).done).toHaveLength(1);
    expect((await one.session.undo({ turnId: first!.id })).done).toHaveLength(1);
    expect(states(one)[0]).toBe('A: cancelled');
  });

  it('agents T2: undo of the start of a removed task says that its changes may stay', async () => {
    const cards = new Cards();
    const one = page({
      cards,
      deliver: 'none',
      maxKept: 1,
      maxRunning: 1,
      answers: [startTask('A'), startTask('B'), say('They run.')],
    });
    await one.session.send('Two');
    await until(() => states(one).join() === 'B: completed');
    expect((await one.session.undo()).failed).toMatchObject([
      { description: 'Started the task "B"' },
      { description: 'Started the task "A"' },
    ]);
  });

  it('agents T1: cancel of a task that could not begin here lets it never begin', async () => {
    vi.stubGlobal('reportError', vi.fn());
    const [inner, cards] = [memoryLog(), new Cards()];
    let isFull = true;
    const log: SessionLog = {
      ...inner,
      async append(lease, ...rest) {
        if (isFull && lease.id.includes('/task/')) throw new Error('Full.');
        await inner.append(lease, ...rest);
      },
    };
    const one = page({
      log,
      cards,
      detached: true,
      answers: [startTask('A'), say('It runs.'), say('Told.')],
    });
    await one.session.send('A');
    await until(() => states(one)[0] === 'A: interrupted');
    isFull = false;
    expect(await one.tasks.cancel('chat/task/1')).toMatchObject({ cancelled: true });
    one.tasks.attach(one.session);
    await lives(() => states(one)[0] === 'A: cancelled');
    await pages.pop()!.close();
    const again = page({ log, cards });
    await lives(() => states(again)[0] === 'A: cancelled');
    expect(cards.added).toEqual([]);
    vi.unstubAllGlobals();
  });

  it.each([
    ['an error of a session', new AgentSessionError('unsupported', 'No worker here.'), 'No worker here.'],
    ['no error', Object.create(null) as unknown, 'It could not be begun.'],
  ])('agents T1: whose `open` throws %s has failed, and others begin', async (_name, thrown, problem) => {
    const cards = new Cards();
    const other = page({ cards, detached: true });
    const one = page({
      cards,
      maxRunning: 1,
      answers: [startTask('A'), startTask('B'), say('They run.'), say('Told.'), say('Told.')],
      open: (task) => {
        if (task.title === 'A') throw thrown;
        return other.makeTask(task);
      },
    });
    await one.session.send('Two');
    await until(() => states(one).join() === 'A: failed,B: completed');
    await until(() => one.session.state.turns.length === 3);
    expect(asked(one.session)[1]).toContain(`"problem":"${problem}"`);
  });

  it('agents T3: an end whose turn the user cancels was told, also in a tab that comes later', async () => {
    const report = vi.fn();
    vi.stubGlobal('reportError', report);
    const [log, cards] = [memoryLog(), new Cards()];
    const one = page({ log, cards, answers: [startTask('A'), say('It runs.'), stall('Telling')] });
    await one.session.send('A');
    await until(() => one.session.currentText.value === 'Telling');
    const two = page({ log, cards });
    await until(() => two.session.link.value.role === 'follower' && two.tasks.tasks.value.length === 1);
    await settle();
    await one.session.cancel();
    await until(() => one.tasks.tasks.value[0]!.delivered && two.tasks.tasks.value[0]!.delivered);
    expect(report).not.toHaveBeenCalled();
    vi.unstubAllGlobals();
  });

  it('agents T2: its change ends the redo of the session while it runs', async () => {
    const cards = new Cards();
    const more = gate();
    const one = page({
      cards,
      deliver: 'none',
      answers: [startTask('A'), say('It runs.'), add('Mine'), say('Added.')],
      work: { A: [callOf('Wait.', more, { tool: 'cards.add', args: { title: 'Other' } }), stall('Now')] },
    });
    await one.session.send('A');
    await more.reached;
    await one.session.send('Add mine');
    await one.session.undo();
    more.open();
    await until(() => cards.titles.includes('Other') && !one.session.state.canRedo);
  });

  it('agents T1: makes no snapshot of its state for a piece of text', async () => {
    const [log, cards] = [memoryLog(), new Cards()];
    const pieces = Array.from({ length: 200 }, (_, index) => `${index} `);
    const other = page({ log, cards, detached: true, work: { A: [add('A'), say(pieces)] } });
    let reads = 0;
    const one = page({
      log,
      cards,
      deliver: 'none',
      answers: [startTask('A'), say('It runs.')],
      open: (task) => {
        const made = other.makeTask(task);
        return Object.defineProperty({ ...made }, 'state', {
          get: () => {
            reads++;
            return made.state;
          },
        });
      },
    });
    await one.session.send('A');
    await until(() => states(one)[0] === 'A: completed');
    expect(reads).toBeLessThan(5);
  });

  it('agents T1: after dispose no session is opened, and calls reject', async () => {
    const [log, cards] = [memoryLog(), new Cards()];
    const one = page({ log, cards, answers: [startTask('A'), say('It runs.'), say('Told.')] });
    await one.session.send('A');
    await until(() => one.tasks.tasks.value[0]!.delivered && one.session.state.turns.length === 2);
    await pages.pop()!.close();
    const two = page({ log, cards, answers: [startTask('B'), say('It did not start.')] });
    await until(() => two.tasks.tasks.value.length === 1);
    await two.tasks.dispose();
    expect(two.tasks.session('chat/task/1')).toBeUndefined();
    await expect(two.tasks.undo('chat/task/1')).rejects.toMatchObject({ code: 'disposed' });
    await expect(two.tasks.cancel('chat/task/1')).rejects.toMatchObject({ code: 'disposed' });
    await two.session.send('B');
    expect(lastResult(two)).toContain('These tasks were disposed.');
    expect(await log.list({ prefix: 'chat/task/' })).toHaveLength(1);
    expect(two.providers.size).toBe(0);
  });

  it('agents T1: a session that was disposed is detached, and another session can be attached', async () => {
    const one = page({ detached: true });
    const other = page({ detached: true });
    const detach = one.tasks.attach(one.session);
    await one.session.dispose();
    detach();
    one.tasks.attach(other.session);
  });

  it('agents T1: a function that detaches acts once', () => {
    const one = page({ detached: true });
    const detach = one.tasks.attach(one.session);
    detach();
    one.tasks.attach(one.session);
    detach();
    expect(() => one.tasks.attach(one.session)).toThrow(/attached/);
  });

  it('agents T3: a long problem and half of a character are left out of what the model reads', async () => {
    const one = page({
      answers: [startTask('A'), startTask('B'), say('They run.'), say('Told.'), say('Told.')],
      work: { A: [fail(new Error('x'.repeat(1_000_000)))], B: [say(`b${'😀'.repeat(5_000)}`)] },
    });
    await one.session.send('Two');
    await until(() => one.session.state.turns.length === 3);
    const texts = asked(one.session);
    expect(texts.every(({ length }) => length < 40_000)).toBe(true);
    expect(texts.join('')).not.toMatch(/\\ud83d(?!\\ude00)/);
  });
});

describe('readTaskEnd', () => {
  it('agents T5: returns what the message of a task tells', async () => {
    const one = page({ answers: [startTask('Search'), say('It runs.'), say('Told.')] });
    await one.session.send('Search it');
    await until(() => one.session.state.turns.length === 2);
    expect(readTaskEnd(textOf(one.session.state.turns[1]!.input))).toMatchObject({
      title: 'Search',
      agent: 'scout',
      status: 'completed',
      text: 'Search is done.',
      changed: ['Added Search'],
    });
  });

  it.each(['', 'Search it', '{"title":"A","agent":"scout","status":"completed"}'])(
    'agents T5: returns null for another text: %j',
    (text) => {
      expect(readTaskEnd(text)).toBeNull();
    },
  );

  it('agents T5: returns null for a message that the user has edited', async () => {
    const more = gate();
    const one = page({ answers: [startTask('Search'), say(['It ', more, 'runs.']), say('Told.')] });
    const turn = one.session.send('Search it');
    await until(() => one.session.state.queue.length === 1);
    const text = textOf(one.session.state.queue[0]!.input);
    more.open();
    await turn;
    for (const edited of [text.slice(0, -5), text.replace('"Search"', '7'), text.replace(/\{.*/, 'null')])
      expect(readTaskEnd(edited)).toBeNull();
  });
});

describe('backgroundTasks', () => {
  const log = memoryLog();
  const open = () => null as never;
  it.each([
    ['without an id', { id: '', log, open, agents: [scout] }],
    ['without a log', { id: 'chat', open, agents: [scout] }],
    ['without open', { id: 'chat', log, agents: [scout] }],
    ['without agents', { id: 'chat', log, open, agents: [] }],
    ['with a wrong number', { id: 'chat', log, open, agents: [scout], maxRunning: 0 }],
    ['with another number', { id: 'chat', log, open, agents: [scout], maxKept: 1.5 }],
    ['with an unknown way to deliver', { id: 'chat', log, open, agents: [scout], deliver: 'mail' }],
  ])('agents T1: throws %s', (_name, options) => {
    expect(() => backgroundTasks(options as never)).toThrow(
      expect.objectContaining({ code: 'invalid-configuration' }) as Error,
    );
  });

  it('agents T1: rejects commands for an unknown task, and a second attached session', async () => {
    const one = page();
    await expect(one.tasks.cancel('nope')).rejects.toMatchObject({ code: 'invalid-input' });
    await expect(one.tasks.undo('nope')).rejects.toMatchObject({ code: 'invalid-input' });
    expect(one.tasks.session('nope')).toBeUndefined();
    expect(() => one.tasks.attach(one.session)).toThrow(/attached/);
  });
});
