import type { MemoryItem, MemoryStore } from '@banister/crew/memory';
import { effect } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import type { Memory } from '@banister/crew/memory';
import { messageOf } from '@banister/provider';
import { counted } from '../session/counted.js';
import type { Cues } from '../session/cues.js';
import { createTextEdit, type EditedText } from '../session/text-edit.js';
import { visibleText } from '../text/visible-text.js';
import { authorWords, writtenWords } from './memory-words.js';

/** A fact in the drawer. */
export interface MemoryRow {
  readonly id: string;
  /** Safe to show. */
  readonly text: string;
  /** Who wrote the text. */
  readonly author: string;
  /** Whether the agent had read from the network before it wrote the text. */
  readonly isAfterNetwork: boolean;
  readonly time: { readonly words: string; readonly at: number };
  readonly isPinned: boolean;
  /** Whether the fact is removed. The user can still bring it back. */
  readonly isRemoved: boolean;
}

/** The drawer with the facts that the agent remembers. It belongs to the page, so it stays as it is when another view draws it. */
export interface MemoryDrawer {
  readonly isOpen: ReadonlySignal<boolean>;
  /** Pinned facts first, then the newest. */
  readonly rows: ReadonlySignal<readonly MemoryRow[]>;
  /** The number of facts, in words. */
  readonly summary: ReadonlySignal<string>;
  /** The fact that the user is writing. It stays when the drawer is closed. */
  readonly draft: ReadonlySignal<string>;
  /** The text that the user is editing. It stays when the drawer is closed. */
  readonly edited: ReadonlySignal<EditedText | null>;
  /** Why the facts cannot be read, or why the last change was not made; null if there is no problem. */
  readonly problem: ReadonlySignal<string | null>;
  /** Whether the facts could not be read. */
  readonly isUnread: ReadonlySignal<boolean>;
  open(): void;
  /** Closes the drawer. The button that opened it takes the focus. */
  close(): void;
  /** Closes the drawer. The focus stays where it is. */
  leave(): void;
  /** Reads the facts again, if they could not be read. */
  read(): Promise<void>;
  write(draft: string): void;
  /** Adds the draft. */
  add(): Promise<void>;
  beginEdit(row: MemoryRow): void;
  writeEdit(text: string): void;
  cancelEdit(): void;
  saveEdit(): Promise<void>;
  /** Pins a fact, or unpins it. */
  pin(row: MemoryRow): Promise<void>;
  remove(row: MemoryRow): Promise<void>;
  restore(row: MemoryRow): Promise<void>;
}

interface MemoryDrawerOptions {
  readonly memory: Memory;
  /** The store of the memory, which takes a removed fact back as it was. */
  readonly store: Pick<MemoryStore, 'put'>;
  readonly cues: Pick<Cues, 'focus' | 'say'>;
}

/** The highest number of characters of a fact. */
export const LONGEST_FACT = 1_000;

export function createMemoryDrawer({ memory, store, cues }: MemoryDrawerOptions): MemoryDrawer {
  const { items } = memory;
  const isOpen = signal(false);
  const draft = signal('');
  const problem = signal<string | null>(null);
  const edit = createTextEdit();
  /** The revision that the user has read of the fact that is edited. */
  let editedRevision = 0;
  /** The facts that the user has removed since the drawer was opened. */
  const removed = signal<readonly MemoryItem[]>([]);

  const itemOf = (id: string): MemoryItem | undefined => items.peek().find((item) => item.id === id);
  const gone = computed(() => removed.value.filter(({ id }) => items.value.every((item) => item.id !== id)));
  const rows = computed(() => {
    const all = [...items.value, ...gone.value].toSorted(byImportance);
    return all.map((item) => rowOf(item, gone.value.includes(item)));
  });

  // A fact that was removed elsewhere while the user edited it has no row. The text is kept as a draft.
  effect(() => {
    const text = edit.current.value;
    if (text === null || rows.value.some(({ id }) => id === text.id)) return;
    if (draft.peek() === '') draft.value = text.text;
    edit.end();
  });

  /** Returns whether the work succeeded. If it failed, says why. */
  const attempt = async (failure: string, work: () => Promise<unknown>): Promise<boolean> => {
    problem.value = null;
    try {
      await work();
      return true;
    } catch (error) {
      problem.value = `${failure} ${messageOf(error)}`;
      return false;
    }
  };
  const read = async (): Promise<void> => {
    if (!memory.ready.peek()) await attempt('What is remembered cannot be read.', () => summaryOf(memory));
  };
  const leave = (): void => {
    isOpen.value = false;
    removed.value = [];
    problem.value = null;
  };
  const endEdit = (): void => {
    const id = edit.current.peek()?.id;
    edit.end();
    problem.value = null;
    cues.focus(`edit-fact:${id}`, 'memory-drawer');
  };

  return {
    isOpen,
    rows,
    summary: computed(() => {
      if (!memory.ready.value) return problem.value === null ? 'Reading…' : '';
      return rows.value.length === 0
        ? 'Nothing yet. Say “Remember that we release on Tuesdays”, or add a fact here.'
        : counted(items.value.length, 'fact');
    }),
    draft,
    edited: edit.current,
    problem,
    isUnread: computed(() => !memory.ready.value && problem.value !== null),

    open() {
      isOpen.value = true;
      void read();
      cues.focus('memory-drawer');
    },
    close() {
      leave();
      cues.focus('memory');
    },
    leave,
    read,

    write(text) {
      draft.value = text;
    },
    async add() {
      const text = draft.peek().trim();
      if (text === '') return;
      if (!(await attempt('Not kept.', () => memory.add(text)))) return;
      if (draft.peek().trim() === text) draft.value = '';
      cues.focus('memory-new');
      cues.say('Kept');
    },

    beginEdit({ id }) {
      const item = itemOf(id);
      if (item === undefined) return;
      editedRevision = item.revision;
      problem.value = null;
      edit.begin(id, item.text);
      cues.focus(`editor:${id}`);
    },
    writeEdit: (text) => edit.write(text),
    cancelEdit: endEdit,
    async saveEdit() {
      const changed = edit.current.peek();
      const text = changed?.text.trim() ?? '';
      if (changed === null || text === '') return;
      const { id } = changed;
      const saved = await attempt('Not saved.', () => memory.edit(id, text, editedRevision));
      const now = itemOf(id);
      if (saved) {
        if (edit.current.peek() === changed) endEdit();
        cues.say('Saved');
      } else if (now !== undefined && now.revision !== editedRevision) {
        editedRevision = now.revision;
        problem.value = `Changed meanwhile to “${visibleText(now.text)}”. Save again to replace it.`;
      }
    },

    async pin({ id, isPinned }) {
      if (!(await attempt('Not changed.', () => memory.pin(id, !isPinned)))) return;
      cues.focus(`pin-fact:${id}`);
      cues.say(isPinned ? 'Not pinned any more' : 'Pinned');
    },
    async remove({ id }) {
      const item = itemOf(id);
      if (item === undefined) return;
      removed.value = [...removed.peek(), item];
      if (!(await attempt('Not removed.', () => memory.remove(id, item.revision)))) {
        removed.value = removed.peek().filter((one) => one !== item);
        return;
      }
      cues.focus(`restore-fact:${id}`);
      cues.say('Removed');
    },
    async restore({ id }) {
      const item = removed.peek().find((one) => one.id === id);
      if (item === undefined) return;
      const back = { ...item, revision: item.revision + 1 };
      if (!(await attempt('Not brought back.', () => store.put(back, null)))) return;
      cues.focus(`edit-fact:${id}`);
      cues.say('The fact is back');
    },
  };
}

/** Reads the store, if it has not been read. Rejects if it cannot be read. */
async function summaryOf({ context }: Memory): Promise<void> {
  await context.summary();
}

function rowOf(item: MemoryItem, isRemoved: boolean): MemoryRow {
  const { id, text, source, pinned, changedAt } = item;
  return {
    id,
    text: visibleText(text),
    author: authorWords(source),
    isAfterNetwork: source.afterNetwork === true,
    time: { words: writtenWords(item), at: changedAt },
    isPinned: pinned === true,
    isRemoved,
  };
}

function byImportance(one: MemoryItem, other: MemoryItem): number {
  return Number(other.pinned === true) - Number(one.pinned === true) || other.changedAt - one.changedAt;
}
