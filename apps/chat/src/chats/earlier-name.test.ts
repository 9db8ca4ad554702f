import 'fake-indexeddb/auto';
import { createAgentSession, type Grant, type SessionLog } from '@banister/session';
import { indexedDbLog } from '@banister/storage';
import { indexedDbGrants } from '@banister/storage/grants';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { afterEach, expect, test } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { BoardHistory } from '../board/board-history.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { EARLIER, moveChats, moveItems } from './earlier-name.js';
import { pageStorage } from './page-storage.js';

const memory = () =>
  pageStorage(() => {
    throw new Error('Forbidden.');
  });

const renamedBack = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll('banister', EARLIER)) as T;

/** The log of a page of version 0.1. */
function earlierLog(): SessionLog {
  const log = indexedDbLog({ name: EARLIER });
  return {
    ...log,
    append: (lease, record, options) => log.append(lease, renamedBack(record), options),
    snapshot: (lease, revision, state) => log.snapshot(lease, revision, renamedBack(state)),
  };
}

const databases = async () => (await indexedDB.databases()).map(({ name }) => name).sort();

function deleted(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error!);
  });
}

afterEach(async () => {
  for (const name of await databases()) await deleted(name!);
});

const note = { id: 'note', title: 'Note', policy: 'onDemand', summary: () => 'Written.' } as const;

/** Opens the board and its session. A second page over the same board is the page after a reload. */
function openPage(log: SessionLog, id: string, board = new BoardStore(firstBoard)) {
  const history = new BoardHistory(board);
  const session = createAgentSession({
    id,
    log,
    provider: scriptedProvider([
      callTools(
        { tool: 'board.add_card', args: { column: 'Todo', title: `Plan of ${EARLIER}.output` } },
        { tool: 'banister.read_context', args: { id: 'note' } },
      ),
      say('Done.'),
    ]),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    context: [note],
    history,
  });
  return { board, session };
}

/** The data of a visitor of version 0.1: two chats, of which the first was used last. */
async function earlierVisit() {
  const log = earlierLog();
  const empty = openPage(log, 'second');
  await empty.session.enqueue('Later');
  await empty.session.dispose();
  const { board, session } = openPage(log, 'first');
  await session.send('Plan');
  await session.dispose();
  await log.describe('first', { title: 'My plan', note: 'one change' });
  return { board, list: await log.list() };
}

test('items move to the new name; an existing item stays', () => {
  const storage = memory();
  storage.setItem(`${EARLIER}.board`, 'old board');
  storage.setItem(`${EARLIER}.view`, 'vue');
  storage.setItem('banister.view', 'svelte');
  moveItems(storage);
  moveItems(storage);
  expect(storage.getItem('banister.board')).toBe('old board');
  expect(storage.getItem('banister.view')).toBe('svelte');
  expect(storage.getItem(`${EARLIER}.board`)).toBeNull();
  expect(storage.getItem(`${EARLIER}.view`)).toBeNull();
});

test('chats move once, with their titles, times and order, and can still be undone', async () => {
  const { board, list } = await earlierVisit();
  const storage = memory();
  await moveChats(storage);
  expect(await databases()).toEqual(['banister']);
  expect(await indexedDbLog().list()).toEqual(list);
  const { session } = openPage(indexedDbLog(), 'first', board);
  await expect.poll(() => session.turns.value.length).toBe(1);
  const parts = session.turns.value[0]!.rounds.flatMap((round) => round.parts);
  expect(parts.flatMap((part) => (part.type === 'tool-call' ? [part.tool] : []))).toEqual([
    'board.add_card',
    'banister.read_context',
  ]);
  // Words of the user and of the model are not changed.
  expect(JSON.stringify(session.turns.value)).toContain(`Plan of ${EARLIER}.output`);
  const report = await session.undo();
  expect(report.done).toHaveLength(1);
  expect(board.columns.peek()).toEqual(firstBoard);
  await session.dispose();
});

test('an interrupted move continues at the next visit, and does not change chats that have moved', async () => {
  const { list } = await earlierVisit();
  await moveChats(memory());
  const { session } = openPage(indexedDbLog(), 'first');
  await session.send('More');
  await session.dispose();
  await earlierVisit();
  await moveChats(memory());
  expect(await databases()).toEqual(['banister']);
  expect((await indexedDbLog().list()).map(({ id }) => id).sort()).toEqual(list.map(({ id }) => id).sort());
  const again = openPage(indexedDbLog(), 'first').session;
  await expect.poll(() => again.turns.value.length).toBe(2);
  await again.dispose();
});

test('grants move; the page of a new visitor creates no database of the earlier name', async () => {
  await moveChats(memory());
  expect(await databases()).not.toContain(EARLIER);
  const grant = { id: 'a', tool: 'banister.use_domain' } as unknown as Grant;
  await indexedDbGrants({ name: `${EARLIER}-grants` }).put(renamedBack(grant));
  const storage = memory();
  await moveChats(storage);
  expect(await indexedDbGrants().load()).toEqual([grant]);
  expect(await databases()).not.toContain(`${EARLIER}-grants`);
});
