// @vitest-environment jsdom
import { createAgentSession } from '@banister/session';
import { signal } from '@banister/session/signals';
import type { ListedSession } from '@banister/session/log';
import { say, scriptedProvider, settle } from '@banister/testing';
import { expect, test } from 'vitest';
import { createCues } from '../session/cues.js';
import { createChatList } from './chat-list.js';
import { keepSessions } from './kept-sessions.js';
import type { ListedChats } from './listed-chats.js';

/** Returns a list whose log has one chat, and describes it when `answer` is called. */
async function listOf() {
  const open = () => createAgentSession({ provider: scriptedProvider([say('Hello.')]) });
  const sessions = keepSessions('shown', open);
  const all = signal<readonly ListedSession[]>([{ id: 'one', title: 'One', updatedAt: 1 }]);
  const removed = signal<ReadonlyMap<string, { readonly at: number; readonly title?: string }>>(new Map());
  let answers: ((error?: Error) => void)[] = [];
  const listed: ListedChats = {
    all,
    removed,
    refresh: () => Promise.resolve(),
    changed() {},
    describe: (id, { title }) =>
      new Promise((resolve, reject) => {
        answers.push((error) => {
          if (error) return reject(error);
          all.value = all.peek().map((chat) => (chat.id === id ? { ...chat, title } : chat));
          resolve();
        });
      }),
    remove(id, title) {
      removed.value = new Map([[id, { at: 2, title }]]);
      return Promise.resolve();
    },
    restore() {},
  };
  const answer = async (error?: Error) => {
    const waiting = answers;
    answers = [];
    for (const one of waiting) one(error);
    await settle();
  };
  const cues = createCues();
  const list = createChatList({ sessions, listed, cues, newId: () => 'new' });
  const rowOf = (id: string) => list.rows.peek().find((row) => row.id === id);
  return { sessions, list, cues, all, answer, rowOf };
}

test('a title that is refused after the user has gone on is shown as unsaved, and stored when the list opens again', async () => {
  const { list, cues, answer, rowOf } = await listOf();
  list.open();
  list.beginRename(rowOf('one')!);
  list.writeRename('Tea for everyone');
  const saved = list.saveRename();
  list.leave();
  await answer(new Error('No room.'));
  await saved;
  expect(rowOf('one')).toMatchObject({ title: 'Tea for everyone', note: 'Title not saved' });
  expect(cues.spoken.peek()).toBe('The title is not saved. No room.');
  list.open();
  await answer();
  expect(rowOf('one')).toMatchObject({ title: 'Tea for everyone', note: '' });
});

test('a title with a problem is kept when the user leaves the list, but not when the user cancels', async () => {
  const { list, answer, rowOf } = await listOf();
  for (const [end, title] of [
    [() => list.cancelRename(), 'One'],
    [() => list.leave(), 'Two'],
  ] as const) {
    list.beginRename(rowOf('one')!);
    list.writeRename('Two');
    const saved = list.saveRename();
    await answer(new Error('No room.'));
    await saved;
    expect(list.renameProblem.peek()).toBe('The title is not saved. No room.');
    end();
    expect(rowOf('one')!.title).toBe(title);
  }
});

test('a chat that was never stored can be brought back after it was deleted', async () => {
  const { sessions, list, rowOf } = await listOf();
  await sessions.session.peek().send('Not stored');
  expect(rowOf('shown')).toMatchObject({ title: 'Not stored', isRemoved: false });
  list.remove('shown');
  expect(rowOf('shown')).toMatchObject({ title: 'Not stored', isRemoved: true });
  await sessions.discard('shown');
  expect(rowOf('shown')).toMatchObject({ title: 'Not stored', isRemoved: true });
});
