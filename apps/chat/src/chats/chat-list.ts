import { effect } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import { messageOf } from '@banister/provider';
import type { Cues } from '../session/cues.js';
import { counted } from '../session/counted.js';
import { createTextEdit, type EditedText } from '../session/text-edit.js';
import { noteOf, titleOf, waiting } from './chat-words.js';
import type { KeptSessions } from './kept-sessions.js';
import type { ListedChats } from './listed-chats.js';

/** A chat in the list. */
export interface ChatRow {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  /** Whether the chat waits for the user. */
  readonly isWaiting: boolean;
  readonly updatedAt: number;
  readonly isShown: boolean;
  /** Whether the chat is removed. The user can still bring it back. */
  readonly isRemoved: boolean;
  /** Whether the chat has no messages. */
  readonly isEmpty: boolean;
}

/** The list of chats. It belongs to the page, so that it does not change when another view draws it. */
export interface ChatList {
  /** The title of the shown chat. */
  readonly title: ReadonlySignal<string>;
  readonly isOpen: ReadonlySignal<boolean>;
  /** The chats that match the search, sorted by their newest message. */
  readonly rows: ReadonlySignal<readonly ChatRow[]>;
  /** The number of rows, in words. */
  readonly summary: ReadonlySignal<string>;
  /** Whether there are chats other than the shown chat. */
  readonly hasOthers: ReadonlySignal<boolean>;
  readonly search: ReadonlySignal<string>;
  /** The title that the user is editing. */
  readonly renamed: ReadonlySignal<EditedText | null>;
  /** Why the changed title is not saved; null if there is no problem. */
  readonly renameProblem: ReadonlySignal<string | null>;
  /** Opens the list. The shown chat takes the focus. */
  open(): void;
  /** Opens the list. The search takes the focus. */
  openSearch(): void;
  /** Closes the list. The button that opened it takes the focus. */
  close(): void;
  /** Closes the list. The focus stays where it is. */
  leave(): void;
  find(text: string): void;
  show(id: string): void;
  /** Shows the first chat of the list, unless it is removed. */
  showFirst(): void;
  /** Begins a new chat, unless the shown chat is new. */
  startNew(): void;
  beginRename(row: ChatRow): void;
  writeRename(title: string): void;
  cancelRename(): void;
  saveRename(): Promise<void>;
  remove(id: string): void;
  restore(id: string): void;
}

interface ChatListOptions {
  readonly sessions: KeptSessions;
  readonly listed: ListedChats;
  readonly cues: Cues;
  /** Returns the id of a new chat. */
  newId(): string;
}

const untitled = 'New chat';

export function createChatList({ sessions, listed, cues, newId }: ChatListOptions): ChatList {
  const isOpen = signal(false);
  const search = signal('');
  const edit = createTextEdit();
  const renameProblem = signal<string | null>(null);
  /** Titles that the log refused after the user had gone on to something else. */
  const unsavedTitles = signal<ReadonlyMap<string, string>>(new Map());
  /** The chat that was shown when it was removed. */
  let lastShown: string | null = null;

  const noteFor = (id: string, note: string): string =>
    unsavedTitles.value.has(id) ? ['Title not saved', note].filter(Boolean).join(' · ') : note;
  const shown = computed((): ChatRow => {
    const id = sessions.id.value;
    const session = sessions.session.value;
    const known = listed.all.value.find((chat) => chat.id === id);
    const isEmpty = titleOf(session) === '';
    const note = isEmpty ? 'Nothing said yet' : noteOf(session);
    return {
      id,
      title: unsavedTitles.value.get(id) || known?.title || titleOf(session) || untitled,
      note: noteFor(id, note),
      isWaiting: note === waiting,
      updatedAt: known?.updatedAt ?? Date.now(),
      isShown: true,
      isRemoved: false,
      isEmpty,
    };
  });
  /** A chat of which nothing could be saved is open in this page, but unknown to the log. */
  const unlisted = computed(() =>
    [...sessions.all.value]
      .filter(([id]) => listed.all.value.every((chat) => chat.id !== id || chat.title === ''))
      .map(([id, session]) => ({
        id,
        title: titleOf(session),
        note: noteOf(session),
        updatedAt: Date.now(),
      })),
  );
  const others = computed(() => {
    const named = [...unlisted.value, ...listed.all.value].filter(({ title }) => title !== '');
    const isNamed = new Set(named.map(({ id }) => id));
    // Neither the page nor the log knows these chats any more, but they can still be brought back.
    const unknown = [...listed.removed.value].flatMap(([id, { title = '', at }]) =>
      title === '' || isNamed.has(id) ? [] : [{ id, title, note: '', updatedAt: at }],
    );
    return [...named, ...unknown]
      .filter(({ id }) => id !== sessions.id.value)
      .map(({ id, title, note = '', updatedAt }): ChatRow => {
        const isWaiting = note === waiting;
        const isRemoved = listed.removed.value.has(id);
        const shownTitle = unsavedTitles.value.get(id) ?? title;
        const words = noteFor(id, note);
        return {
          id,
          title: shownTitle,
          note: words,
          isWaiting,
          updatedAt,
          isShown: false,
          isRemoved,
          isEmpty: false,
        };
      });
  });
  const rows = computed(() => {
    const wanted = search.value.trim().toLowerCase();
    const all = [shown.value, ...others.value].toSorted((one, other) => other.updatedAt - one.updatedAt);
    return wanted === '' ? all : all.filter(({ title }) => title.toLowerCase().includes(wanted));
  });

  // Another tab has removed the chat that this tab shows. Nothing of it is lost, and it can be brought back
  // here too.
  effect(() => {
    if (!listed.removed.value.has(sessions.id.value)) return;
    sessions.show(newId());
    cues.say('This chat was deleted in another tab');
  });

  const keepTitle = (id: string, title: string | null): void => {
    const titles = new Map(unsavedTitles.peek());
    titles.delete(id);
    if (title !== null) titles.set(id, title);
    unsavedTitles.value = titles;
  };
  const storeTitle = async (id: string, title: string): Promise<void> => {
    await listed.describe(id, { title });
    keepTitle(id, null);
  };
  const open = (focused: string): void => {
    void listed.refresh();
    for (const [id, title] of unsavedTitles.peek()) void storeTitle(id, title).catch(() => {});
    isOpen.value = true;
    cues.focus(focused, 'chat-search');
  };
  const endRename = (): void => {
    edit.end();
    renameProblem.value = null;
  };
  const leave = (): void => {
    const { id, text } = edit.current.peek() ?? {};
    if (id !== undefined && text && renameProblem.peek() !== null) keepTitle(id, text.trim());
    endRename();
    isOpen.value = false;
    search.value = '';
  };
  const show = (id: string): void => {
    sessions.show(id);
    leave();
    cues.focus('message');
  };
  const isNew = (): boolean => {
    const session = sessions.session.peek();
    const isTitled = listed.all.peek().some(({ id, title }) => id === sessions.id.peek() && title !== '');
    return !isTitled && session.link.peek().role !== 'read-only' && titleOf(session) === '';
  };

  return {
    title: computed(() => shown.value.title),
    isOpen,
    rows,
    summary: computed(() =>
      rows.value.length === 0 ? 'No title has that' : counted(rows.value.length, 'chat'),
    ),
    hasOthers: computed(() => others.value.length > 0),
    search,
    renamed: edit.current,
    renameProblem,

    open: () => open(`chat:${sessions.id.peek()}`),
    openSearch: () => open('chat-search'),
    close() {
      leave();
      cues.focus('chats');
    },
    leave,
    find(text) {
      search.value = text;
    },
    show,
    showFirst() {
      const first = rows.peek()[0];
      if (first !== undefined && !first.isRemoved) show(first.id);
    },

    startNew() {
      leave();
      if (!isNew()) sessions.show(newId());
    },

    beginRename({ id, title }) {
      endRename();
      edit.begin(id, title);
      cues.focus(`chat-title:${id}`);
    },
    writeRename: (title) => edit.write(title),
    cancelRename() {
      const id = edit.current.peek()?.id;
      endRename();
      cues.focus(`rename:${id}`, 'chat-search');
    },
    async saveRename() {
      const changed = edit.current.peek();
      const title = changed?.text.trim() ?? '';
      if (changed === null || title === '') return;
      renameProblem.value = null;
      try {
        await storeTitle(changed.id, title);
      } catch (error) {
        const problem = `The title is not saved. ${messageOf(error)}`;
        if (edit.current.peek()?.id === changed.id) renameProblem.value = problem;
        else {
          keepTitle(changed.id, title);
          cues.say(problem);
        }
        return;
      }
      // The user may be editing something else meanwhile.
      if (edit.current.peek() !== changed) return;
      endRename();
      cues.focus(`rename:${changed.id}`, 'chat-search');
    },

    remove(id) {
      const title = [shown.peek(), ...others.peek()].find((row) => row.id === id)?.title ?? '';
      lastShown = id === sessions.id.peek() ? id : null;
      if (lastShown !== null) sessions.show(newId());
      void listed.remove(id, title);
      cues.focus(`restore:${id}`, 'chat-search');
      cues.say('Chat deleted');
    },
    restore(id) {
      listed.restore(id);
      if (lastShown === id && isNew()) sessions.show(id);
      lastShown = null;
      cues.focus(`chat:${id}`, 'chat-search');
      cues.say('Chat is back');
    },
  };
}
