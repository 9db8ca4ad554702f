import { createAgentSession, type SavedConversation, type SessionLog } from '@banister/session';
import { initialState } from '@banister/session/operations';
import { memoryLog } from '@banister/storage';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { expect, test } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { BoardHistory } from '../board/board-history.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { carryOver } from './carry-over.js';
import { withEarlierSnapshots } from './earlier-form.js';

/** A page over one board. Its sessions may have a log. */
function makePage() {
  const board = new BoardStore(firstBoard);
  const open = (log?: SessionLog) =>
    createAgentSession({
      ...(log && { id: 'chat', log }),
      provider: scriptedProvider([
        callTools({ tool: 'board.add_card', args: { column: 'Todo', title: 'Plan' } }),
        say('Done.'),
      ]),
      domains: [createBoardDomain(board, { change: 0, publish: 0 })],
      history: new BoardHistory(board),
    });
  return { open, text: () => JSON.stringify(board.columns.value) };
}

async function opened(log: SessionLog, { open }: ReturnType<typeof makePage>) {
  const session = open(log);
  await new Promise<void>((done) => void session.link.subscribe(({ open: isOpen }) => isOpen && done()));
  return session;
}

/** Storage with one conversation. */
function tabWith(conversation: unknown) {
  const items = new Map([['banister.conversation', JSON.stringify(conversation)]]);
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    removeItem: (key: string) => void items.delete(key),
  };
}

test('a conversation of version 2 in the storage of a tab becomes a chat of the log, which can be undone', async () => {
  const page = makePage();
  const before = page.text();
  const first = page.open();
  await first.send('Add a card');
  const { redo: _redo, ...saved } = first.save();
  const tab = tabWith({ ...saved, version: 2 });
  await first.dispose();
  const log = memoryLog();
  const carried = (await carryOver(tab))!;
  expect(carried.problem).toBeNull();
  const session = await opened(carried.into(log, 'chat'), page);
  expect(session.turns.value).toEqual(first.turns.value);
  expect(tab.items.size).toBe(0);
  await session.undo();
  expect(page.text()).toBe(before);
  await session.dispose();
});

test('a conversation that cannot be read stays in the storage of the tab', async () => {
  const tab = tabWith({ version: 2, turns: 'x' } satisfies Partial<Record<keyof SavedConversation, unknown>>);
  expect((await carryOver(tab))!.problem).toMatch(
    /^The conversation of an earlier visit cannot be read\. This is no saved conversation: /,
  );
  expect(tab.items.size).toBe(1);
  expect(await carryOver({ ...tab, getItem: () => null })).toBeNull();
});

test('a chat whose snapshot is a state is opened with its turns, and can be undone', async () => {
  const page = makePage();
  const before = page.text();
  const log = memoryLog();
  const first = await opened(log, page);
  await first.send('Add a card');
  const { state } = first;
  await first.dispose();
  // The stored form, without notes that equal the notes of a new session.
  const empty = initialState().fold as Record<string, unknown>;
  const fold = Object.fromEntries(
    Object.entries(state.fold as object).filter(
      ([name, note]) => JSON.stringify(note) !== JSON.stringify(empty[name]),
    ),
  );
  const lease = await log.claim('chat', 'earlier', 1_000);
  await log.snapshot(lease, lease.revision, { ...state, fold } as unknown as SavedConversation);
  await log.release(lease);

  const session = await opened(withEarlierSnapshots(log), page);
  expect(session.link.value).toEqual({ role: 'writer', open: true, saved: true });
  expect(session.turns.value).toEqual(first.turns.value);
  await session.undo();
  expect(page.text()).toBe(before);
  await session.dispose();
  expect((await withEarlierSnapshots(log).load('other')).snapshot).toBeNull();
});
