import { createAgentSession, type SessionLog } from '@banister/session';
import { memoryLog } from '@banister/storage';
import { say, scriptedProvider } from '@banister/testing';
import { expect, test, vi } from 'vitest';
import { keepSessions } from './kept-sessions.js';

function makeSessions(log: SessionLog) {
  const open = (id: string) =>
    createAgentSession({ id, log, provider: scriptedProvider([say('One.'), say('Two.'), say('Three.')]) });
  return keepSessions('first', open);
}

test('a chat that is left is closed when its log has all of it', async () => {
  const sessions = makeSessions(memoryLog());
  await sessions.session.peek().send('Hello');
  sessions.show('second');
  await vi.waitUntil(() => !sessions.all.peek().has('first'), { timeout: 30_000 });
});

/** A first chat that is not saved, and a second chat that is shown. */
async function makeUnsaved() {
  const plain = memoryLog();
  const storage = { isFull: true };
  const sessions = makeSessions({
    ...plain,
    append: (...args) => (storage.isFull ? Promise.reject(new Error('No room.')) : plain.append(...args)),
  });
  const first = sessions.session.peek();
  await first.send('Not stored').catch(() => {});
  await first.send('Unsaved');
  expect(first.link.peek()).toMatchObject({ open: true, saved: false });
  sessions.show('second');
  return { sessions, first, storage };
}

test('a chat that could not be saved stays open when it is left, until it is saved', async () => {
  const { sessions, first, storage } = await makeUnsaved();
  await Promise.resolve();
  expect(sessions.all.peek().get('first')).toBe(first);
  storage.isFull = false;
  await first.send('Saved');
  await vi.waitUntil(() => !sessions.all.peek().has('first'), { timeout: 30_000 });
  sessions.show('first');
  await vi.waitUntil(() => sessions.session.peek().turns.peek().length === 3, { timeout: 30_000 });
});

test('an unsaved chat is closed only when it is discarded', async () => {
  const { sessions, first } = await makeUnsaved();
  await sessions.retire('first');
  expect(sessions.all.peek().get('first')).toBe(first);
  await sessions.discard('first');
  expect([...sessions.all.peek().keys()]).toEqual(['second']);
});

test('a chat whose log is not open yet is not closed when it is retired', async () => {
  const plain = memoryLog();
  let open: (() => void) | undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const sessions = makeSessions({ ...plain, claim: (...args) => opened.then(() => plain.claim(...args)) });
  const first = sessions.session.peek();
  const sent = first.send('Hello');
  sessions.show('second');
  const retired = sessions.retire('first');
  expect(sessions.all.peek().get('first')).toBe(first);
  open!();
  await Promise.allSettled([sent, retired]);
  await sessions.discard('first');
});
