import type { SessionLog } from '@banister/session';
import { signal, type ReadonlySignal } from '@banister/session/signals';
import type { ListedSession } from '@banister/session/log';
import { isTask, isTaskOf } from '../tasks/task-desks.js';
import type { KeptSessions } from './kept-sessions.js';
import type { Removal, Removals } from './removals.js';

/** How long a removed chat can be brought back, in milliseconds. */
export const OFFER_MS = 60_000;
/**
 * How long a session may take to end, in milliseconds. What it writes in this time does not bring its chat
 * back.
 */
const CLOSING_MS = 20_000;

/** The chats of the log, as all tabs of the origin know them. */
export interface ListedChats {
  readonly all: ReadonlySignal<readonly ListedSession[]>;
  /** Chats that will be removed when the offer to bring them back has expired. */
  readonly removed: ReadonlySignal<ReadonlyMap<string, Removal>>;
  /** Reads the log again. */
  refresh(): Promise<void>;
  /** Called after each change of the list. All tabs read the list again. */
  changed(): void;
  /** @throws `storage` if the log refuses the write */
  describe(id: string, about: { readonly title: string }): Promise<void>;
  /** @param title the title for the offer to bring the chat back, if the log has no title */
  remove(id: string, title: string): Promise<void>;
  restore(id: string): void;
}

interface ListedChatsOptions {
  readonly log: SessionLog;
  readonly removals: Removals;
  /** The sessions of this page. */
  readonly sessions: Pick<KeptSessions, 'retire' | 'discard'>;
}

export function listChats({ log, removals, sessions }: ListedChatsOptions): ListedChats {
  const all = signal<readonly ListedSession[]>([]);
  const removed = signal<ReadonlyMap<string, Removal>>(removedNow());
  const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('banister.chats');
  let timer: ReturnType<typeof setTimeout> | undefined;
  if (channel) channel.onmessage = () => void refresh();

  function removedNow(): ReadonlyMap<string, Removal> {
    return new Map(Object.entries(removals.all()));
  }

  function changed(): Promise<void> {
    channel?.postMessage(null);
    return refresh();
  }

  async function refresh(): Promise<void> {
    // If the log cannot be read, the list stays unchanged, and the mark in the bar shows the reason.
    const chats = await log.list().catch(() => null);
    if (chats !== null) all.value = (await swept(chats)).filter((chat) => !isTask(chat));
    removed.value = removedNow();
  }

  /**
   * Removes the chats whose offer has expired. A chat that another tab has continued stays. A chat that is
   * not in the log may be open in a tab.
   */
  async function swept(chats: readonly ListedSession[]): Promise<readonly ListedSession[]> {
    const now = Date.now();
    const gone = new Set<string>();
    let next = Infinity;
    for (const [id, { at }] of Object.entries(removals.all())) {
      const chat = chats.find((listed) => listed.id === id);
      const isOver = now - at >= OFFER_MS;
      const wentOn = chat !== undefined && chat.updatedAt > at;
      if (isOver && !wentOn) {
        await sessions.discard(id);
        for (const one of chats.filter((listed) => listed === chat || isTaskOf(id, listed)))
          await log.remove(one.id).catch(() => {});
        gone.add(id);
      }
      if (isOver || wentOn) removals.drop(id);
      else next = Math.min(next, at + OFFER_MS - now);
    }
    clearTimeout(timer);
    if (next < Infinity) timer = setTimeout(() => void refresh(), next);
    return chats.filter(({ id }) => !gone.has(id));
  }

  return {
    all,
    removed,
    refresh,
    changed: () => void changed(),

    async describe(id, about) {
      await log.describe(id, about);
      await changed();
    },

    async remove(id, title) {
      removals.add(id, { at: Date.now() + CLOSING_MS, title });
      removed.value = removedNow();
      await sessions.retire(id);
      if (id in removals.all()) removals.add(id, { at: Date.now(), title });
      await changed();
    },

    restore(id) {
      const title = removals.all()[id]?.title;
      removals.drop(id);
      removed.value = removedNow();
      const isUntitled = all.peek().some((chat) => chat.id === id && chat.title === '');
      const named = isUntitled && title ? log.describe(id, { title }) : Promise.resolve();
      void named.catch(() => {}).then(changed);
    },
  };
}
