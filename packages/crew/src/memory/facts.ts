import { AgentSessionError, type MemoryItem, type MemorySource, type MemoryStore } from '@banister/session';
import { signal } from '@banister/session/signals';
import { handleOf, readHandle } from './read-facts.js';

/** The highest number of characters of a fact. */
export const LONGEST_FACT = 1_000;

/** The facts of a store, as this page has last read them. */
export type Facts = ReturnType<typeof factsOf>;

/** Reads the facts of a store, now and after each change. */
export function factsOf(store: MemoryStore) {
  /** Pinned facts first, then the newest. */
  const items = signal<readonly MemoryItem[]>([]);
  /** Whether the last reading of the store succeeded. */
  const ready = signal(false);
  /** The number of readings that have begun. */
  let begun = 0;
  /** The number of the reading that `items` shows; 0 before the first. */
  let shown = 0;
  let isDisposed = false;

  function check(): void {
    if (isDisposed) throw new AgentSessionError('disposed', 'This memory was disposed.');
  }

  /** Reads the store. */
  async function load(): Promise<void> {
    check();
    const number = ++begun;
    try {
      const read = [...(await store.load())].sort(byImportance);
      // A reading that began later has ended first.
      if (isDisposed || number < shown) return;
      shown = number;
      if (saidIn(read) !== saidIn(items.peek())) items.value = read;
      // After `items`, so that `subscribe` tells the first reading from a change.
      ready.value = true;
    } catch (error) {
      if (number > shown) ready.value = false;
      throw error;
    }
  }

  /** Resolves with the facts. Reads the store if the last reading failed. */
  async function known(): Promise<readonly MemoryItem[]> {
    await opening;
    if (!ready.peek()) await load();
    return items.peek();
  }

  /** Returns a fact, as this page has last read it; null if there is none. */
  const of = (id: string): MemoryItem | null => items.peek().find((one) => one.id === id) ?? null;

  /**
   * Resolves with a fact. Rejects `conflict` if the fact was removed, or has another revision.
   *
   * @param revision the revision that the caller has read. Default: any
   */
  async function find(id: string, revision?: number): Promise<MemoryItem> {
    await known();
    const item = of(id);
    if (item === null || item.revision !== (revision ?? item.revision))
      throw new AgentSessionError('conflict', 'This fact has changed, or is not there.');
    return item;
  }

  // A reading that fails here is repeated when the facts are used.
  const read = () => load().catch(() => {});
  const leave = store.subscribe?.(() => void read());
  const opening = read();

  return {
    store,
    items,
    ready,
    load,
    known,
    of,
    find,

    /** Resolves with the fact that a model has named; null if the model has named none. Rejects as `find` does. */
    async named(handle: string | undefined): Promise<MemoryItem | null> {
      await known();
      return handle === undefined ? null : find(...readHandle(handle));
    },

    /** Writes a fact, or removes it if there is none after, and reads the store. */
    async write(before: MemoryItem | null, after: MemoryItem | null): Promise<void> {
      check();
      try {
        if (after !== null) await store.put(after, before?.revision ?? null);
        else await store.remove(before!.id, before!.revision);
      } finally {
        // The outcome of the write counts, also if the store cannot be read now.
        await read();
      }
    },

    /** Calls the listener after each change, but not after the first reading. */
    subscribe: (changed: () => void) =>
      items.subscribe(() => {
        if (ready.peek()) changed();
      }),

    dispose(): void {
      isDisposed = true;
      ready.value = false;
      leave?.();
    },
  };
}

/** Returns a new fact, or the changed one. */
export function rewritten(
  before: MemoryItem | null,
  text: string,
  source: MemorySource,
  about: readonly string[] | undefined = before?.about,
): MemoryItem {
  const now = Date.now();
  return {
    ...(before ?? { id: newId(), at: now }),
    text: checkedText(text),
    about,
    source,
    changedAt: now,
    revision: (before?.revision ?? 0) + 1,
  };
}

function checkedText(given: unknown): string {
  const text = typeof given === 'string' ? given.trim() : '';
  if (text === '' || text.length > LONGEST_FACT)
    throw new AgentSessionError('invalid-input', `A fact is a text of 1 to ${LONGEST_FACT} characters.`);
  return text;
}

/** Not `crypto.randomUUID`, because a page has it only over https. */
function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(2)), (half) => half.toString(36)).join('');
}

function byImportance(a: MemoryItem, b: MemoryItem): number {
  return Number(b.pinned === true) - Number(a.pinned === true) || b.changedAt - a.changedAt;
}

/** Returns a text that is equal for equal lists. */
function saidIn(items: readonly MemoryItem[]): string {
  return items.map(handleOf).join();
}
