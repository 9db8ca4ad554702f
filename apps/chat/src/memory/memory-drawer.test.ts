import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { MemoryStore } from '@banister/crew/memory';
import { memory } from '@banister/crew/memory';
import { memoryMemory } from '@banister/storage/memory';
import { createCues } from '../session/cues.js';
import { createMemoryDrawer } from './memory-drawer.js';

let store: MemoryStore;
beforeEach(() => {
  store = memoryMemory();
});

function open() {
  const cues = createCues();
  const facts = memory(store);
  const drawer = createMemoryDrawer({ memory: facts, store, cues });
  drawer.open();
  const texts = () => drawer.rows.value.map(({ text, isRemoved }) => (isRemoved ? `(${text})` : text));
  const add = async (text: string) => {
    drawer.write(text);
    await drawer.add();
  };
  return { drawer, facts, cues, texts, add, row: (at = 0) => drawer.rows.value[at]! };
}

describe('the drawer with the facts', () => {
  it('agents M3: lists a fact of the user with its author, and is empty before', async () => {
    const { drawer, add, row } = open();
    await vi.waitFor(() => expect(drawer.summary.value).toContain('Nothing yet.'));
    await add('  One ');
    expect(row()).toMatchObject({ text: 'One', author: 'You', isAfterNetwork: false, isPinned: false });
    expect(drawer.draft.value).toBe('');
    expect(drawer.summary.value).toBe('1 fact');
  });

  it('agents M5: names the agent, and says that it had read from the network', async () => {
    const source = { by: 'agent', agent: 'notes', afterNetwork: true } as const;
    await store.put({ id: 'a', text: 'One', source, at: 1, changedAt: 1, revision: 1 }, null);
    const { drawer, row } = open();
    await vi.waitFor(() => expect(drawer.rows.value).toHaveLength(1));
    expect(row()).toMatchObject({ author: 'The agent “notes”', isAfterNetwork: true });
  });

  it('agents M3: a fact that is brought back has its text, its pin and its source as before', async () => {
    const { drawer, add, row, texts } = open();
    await add('One');
    await drawer.pin(row());
    const [before] = await store.load();
    await drawer.remove(row());
    expect(texts()).toEqual(['(One)']);
    expect(await store.load()).toEqual([]);
    await drawer.restore(row());
    await vi.waitFor(() => expect(texts()).toEqual(['One']));
    expect(await store.load()).toEqual([{ ...before, revision: before!.revision + 1 }]);
  });

  it('agents M3: the offer to bring a fact back ends when the drawer is closed', async () => {
    const { drawer, add, row, texts } = open();
    await add('One');
    await drawer.remove(row());
    drawer.close();
    expect(texts()).toEqual([]);
  });

  it('agents M6: a text that the store refuses stays in its field, and the reason is shown', async () => {
    const { drawer, add } = open();
    vi.spyOn(store, 'put').mockRejectedValueOnce(new Error('No room.'));
    await add('One');
    expect(drawer.problem.value).toBe('Not kept. No room.');
    expect(drawer.draft.value).toBe('One');
    await drawer.add();
    expect(drawer.problem.value).toBeNull();
    expect(drawer.rows.value).toHaveLength(1);
  });

  it('agents M6: facts that cannot be read say so, and are read again', async () => {
    vi.spyOn(store, 'load').mockRejectedValue(new Error('Blocked.'));
    const { drawer } = open();
    await vi.waitFor(() => expect(drawer.problem.value).toBe('What is remembered cannot be read. Blocked.'));
    expect(drawer.isUnread.value).toBe(true);
    vi.mocked(store.load).mockRestore();
    await drawer.read();
    expect(drawer.isUnread.value).toBe(false);
    expect(drawer.problem.value).toBeNull();
  });

  it('agents M6: an edit of a fact that changed meanwhile is saved only when the user saves again', async () => {
    const { drawer, facts, add, row, texts } = open();
    await add('One');
    drawer.beginEdit(row());
    drawer.writeEdit('Mine');
    await facts.edit(row().id, 'Theirs');
    await drawer.saveEdit();
    expect(drawer.problem.value).toBe('Changed meanwhile to “Theirs”. Save again to replace it.');
    expect(texts()).toEqual(['Theirs']);
    await drawer.saveEdit();
    expect(texts()).toEqual(['Mine']);
    expect(drawer.edited.value).toBeNull();
  });

  it('agents M6: the text of a fact that was removed meanwhile becomes the draft of a new fact', async () => {
    const { drawer, facts, add, row } = open();
    await add('One');
    drawer.beginEdit(row());
    drawer.writeEdit('Mine');
    await facts.remove(row().id);
    expect(drawer.edited.value).toBeNull();
    expect(drawer.draft.value).toBe('Mine');
  });

  it('agents M3: 200 facts are listed, pinned facts first, and then the newest', async () => {
    const source = { by: 'user' } as const;
    for (let at = 1; at <= 200; at++)
      await store.put({ id: `f${at}`, text: `Fact ${at}`, source, at, changedAt: at, revision: 1 }, null);
    const { drawer, row, texts } = open();
    await vi.waitFor(() => expect(texts()).toHaveLength(200));
    expect(texts()[0]).toBe('Fact 200');
    await drawer.pin(row(199));
    expect(texts().slice(0, 2)).toEqual(['Fact 1', 'Fact 200']);
  });
});
