import { beforeAll, expect, it, vi } from 'vitest';
import {
  createAgentSession,
  defineGuard,
  defineTool,
  preloadTurns,
  type SessionLog,
} from '@banister/session';
import { signal } from '@banister/session/signals';
import { memoryLog } from '@banister/storage';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { createCues } from '../session/cues.js';
import { createTaskDesks, isTask, isTaskOf } from './task-desks.js';
import { createTaskStrip } from './task-strip.js';

beforeAll(() => preloadTurns());

/** Opens a chat whose model starts a task, and whose task adds a card after a question. */
function open(log: SessionLog = memoryLog()) {
  const cards: string[] = [];
  const add = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object', properties: {}, additionalProperties: false } as const,
    undo: { data: { type: 'object' } as const, revert: () => void cards.pop() },
    execute: async (_, { undo }) => {
      await undo({ description: 'Added a card', data: {} });
      cards.push('card');
    },
  });
  const board = { id: 'board', tools: [add] };
  const ask = defineGuard('ask', () => ({ confirm: 'Really?' }));
  const desks = createTaskDesks(log, ({ id }) =>
    createAgentSession({
      id,
      log,
      domains: [board],
      guards: [ask],
      provider: scriptedProvider([callTools({ tool: 'board.add', args: {} }), say('Added.')]),
    }),
  );
  const start = { agent: 'helper', title: 'Add a card', task: 'Add a card.' };
  const provider = scriptedProvider([
    callTools({ tool: 'tasks.start', args: start }),
    say('It runs.'),
    say('Done.'),
  ]);
  const session = createAgentSession({ id: 'chat', log, provider, domains: [desks.of('chat').domain] });
  desks.attach('chat', session);
  const cues = createCues();
  const strip = createTaskStrip({ desks, id: signal('chat'), session: signal(session), cues });
  return { cards, desks, session, strip, cues, log };
}

it('agents T1: a question of a task is shown with the title of the task, and the session of the chat is idle', async () => {
  const { strip, session } = open();
  await session.send('Add a card in the background');
  await vi.waitFor(() => expect(strip.asking.value).toBe('Add a card'));
  expect(strip.rows.value).toMatchObject([{ title: 'Add a card', agent: 'Helper', status: 'Asking' }]);
  expect(session.isRunning.value).toBe(false);
  const [asked] = strip.asked.value.pendingConfirmations.value;
  expect(strip.signed(asked!).agent?.title).toBe('Task “Add a card”');
});

it('agents T2, T5: the end of a task is a row that takes back its changes', async () => {
  const { strip, session, cards, cues } = open();
  await session.send('Add a card in the background');
  await vi.waitFor(() => expect(strip.asking.value).not.toBeNull());
  await strip.asked.value.pendingConfirmations.value[0]!.approve();
  await vi.waitFor(() => expect(session.turns.value).toHaveLength(2));
  const record = session.turns.value[1]!;
  expect(strip.rows.value).toEqual([]);
  await vi.waitFor(() => expect(strip.endOf(record).canUndo).toBe(true));
  expect(strip.endOf(record)).toMatchObject({
    state: 'done',
    title: 'Task ended: Add a card',
    word: 'Helper · Completed · 1 change',
  });
  await strip.undo(record);
  expect(cards).toEqual([]);
  expect(cues.spoken.value).toBe('1 of 1 change taken back');
  expect(strip.endOf(record)).toMatchObject({ state: 'undone', canUndo: false });
});

it('agents T1: a task that is stopped leaves the strip', async () => {
  const { strip, session, cards } = open();
  await session.send('Add a card in the background');
  await vi.waitFor(() => expect(strip.asking.value).not.toBeNull());
  await strip.stop(strip.rows.value[0]!);
  expect(strip.rows.value).toEqual([]);
  await vi.waitFor(() => expect(session.turns.value).toHaveLength(2));
  expect(strip.endOf(session.turns.value[1]!).word).toBe('Helper · Stopped');
  expect(cards).toEqual([]);
});

it('agents T1: closing the tasks of a chat leaves them in the log, under the id of the chat', async () => {
  const { session, strip, desks, log } = open();
  await session.send('Add a card in the background');
  await vi.waitFor(() => expect(strip.asking.value).not.toBeNull());
  await desks.close('chat');
  const listed = await log.list();
  expect(listed.filter(isTask).map(({ id }) => id)).toEqual(['chat/task/1']);
  expect(listed.filter((one) => isTaskOf('chat', one))).toHaveLength(1);
  expect(listed.filter((one) => isTaskOf('cha', one))).toHaveLength(0);
});
