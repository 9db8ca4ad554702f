// docs/tabs.md shows the line with which zustand's `persist` keeps the state of two pages equal. Two pages of
// one browser, each with its store and its session.
import { createAgentSession, defineTool, immediate, type SessionLog } from '@banister/session';
import { undoable } from '@banister/stores';
import { zustandStore } from '@banister/stores/zustand';
import { callTools, memoryLog, say, scriptedProvider, settle } from '@banister/testing';
import { afterEach, expect, test } from 'vitest';
import { createJSONStorage, persist, type StateStorage } from 'zustand/middleware';
import { createStore } from 'zustand/vanilla';

interface Board {
  readonly cards: readonly { readonly id: string; readonly title: string }[];
}

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** The storage of a browser: a write is announced to every page except its writer. */
function browser() {
  const stored = new Map<string, string>();
  const pages: EventTarget[] = [];
  return {
    page(): { readonly events: EventTarget; readonly storage: StateStorage } {
      const events = new EventTarget();
      pages.push(events);
      return {
        events,
        storage: {
          getItem: (name) => stored.get(name) ?? null,
          removeItem: (name) => void stored.delete(name),
          setItem(name, value) {
            const isSame = stored.get(name) === value;
            stored.set(name, value);
            for (const other of isSame ? [] : pages)
              if (other !== events) queueMicrotask(() => other.dispatchEvent(new Event('storage')));
          },
        },
      };
    },
  };
}

/** Opens a page. With the line of the guide, its store has what the other page has saved. */
async function openPage({ page }: ReturnType<typeof browser>, log: SessionLog, hasLine: boolean) {
  const { events, storage } = page();
  const useBoard = createStore<Board>()(
    persist((): Board => ({ cards: [{ id: 'a', title: 'Plan' }] }), {
      name: 'board',
      storage: createJSONStorage(() => storage),
    }),
  );
  if (hasLine) events.addEventListener('storage', () => void useBoard.persist.rehydrate());
  const { wrap, revision } = undoable(zustandStore(useBoard), { roots: ['cards'], development: false });
  const retitle = (id: string, title: string) =>
    useBoard.setState(({ cards }) => ({
      cards: cards.map((card) => (card.id === id ? { ...card, title } : card)),
    }));
  const rename = wrap(
    defineTool({
      name: 'rename',
      description: 'Renames a card.',
      parameters: {
        type: 'object',
        properties: { id: { type: 'string' }, title: { type: 'string' } },
        required: ['id', 'title'],
      },
      execute: ({ id, title }) => retitle(id, title),
    }),
  );
  const session = createAgentSession({
    provider: scriptedProvider([
      callTools({ tool: 'board.rename', args: { id: 'a', title: 'Draft' } }),
      say('Done.'),
    ]),
    domains: [{ id: 'board', tools: [rename], revision }],
    ports: { scheduler: immediate() },
    id: 'chat',
    log,
  });
  open.push(() => session.dispose());
  while (!session.link.value.open) await settle();
  return {
    session,
    retitle,
    add: (id: string, title: string) =>
      useBoard.setState(({ cards }) => ({ cards: [...cards, { id, title }] })),
    titles: () => useBoard.getState().cards.map(({ title }) => title),
  };
}

/**
 * Two pages of one browser with one session. The agent renames a card in the first page, and the user adds a
 * card in the second page.
 */
async function twoPages(hasLine: boolean) {
  const [one, log] = [browser(), memoryLog()];
  const [first, second] = [await openPage(one, log, hasLine), await openPage(one, log, hasLine)];
  await first.session.send('Rename it');
  await settle();
  second.add('b', 'Ship');
  await settle();
  return { first, second, later: () => openPage(one, log, hasLine) };
}

test("audit-AD-3 with zustand's `persist`, one line in each page lets either page undo an effect, and no page overwrites the other", async () => {
  const { first, second, later } = await twoPages(true);
  expect([first.titles(), second.titles()]).toEqual([
    ['Draft', 'Ship'],
    ['Draft', 'Ship'],
  ]);
  const { done, failed } = await second.session.undo();
  await settle();
  expect([done.length, failed]).toEqual([1, []]);
  expect([first.titles(), second.titles()]).toEqual([
    ['Plan', 'Ship'],
    ['Plan', 'Ship'],
  ]);
  expect((await later()).titles()).toEqual(['Plan', 'Ship']);
});

test("audit-AD-3 without the line, the outdated page overwrites the agent's change, as the guide says", async () => {
  const { first, second, later } = await twoPages(false);
  expect([first.titles(), second.titles()]).toEqual([['Draft'], ['Plan', 'Ship']]);
  expect((await later()).titles()).toEqual(['Plan', 'Ship']);
});
