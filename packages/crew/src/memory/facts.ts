import { AgentSessionError } from '@banister/session';
import type { MemoryItem, MemorySource, MemoryStore } from '@banister/session/log';
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
  let wasRead = false;
  let isDisposed = false;

  /** Reads the store. Rejects `disposed` if the memory was disposed. */
  async function load(): Promise<void> {
    if (isDisposed) throw new AgentSessionError('disposed', 'This memory was disposed.');
    const number = ++begun;
    try {
      const read = [...(await store.load())].sort(byImportance);
      // A reading that began later has ended first.
      if (isDisposed || number < shown) return;
      shown = number;
      if (saidIn(read) !== saidIn(items.peek())) items.value = read;
      // After `items`, so that a listener tells the first reading from a change.
      ready.value = wasRead = true;
    } catch (error) {
      if (number > shown) ready.value = false;
      throw error;
    }
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

    /** Returns whether the store was read before. */
    wasRead: () => wasRead,

    /** Resolves with the facts. Reads the store if the last reading failed. */
    async known(): Promise<readonly MemoryItem[]> {
      await opening;
      if (!ready.peek()) await load();
      return items.peek();
    },

    dispose(): void {
      isDisposed = true;
      ready.value = false;
      leave?.();
    },
  };
}

/** Returns a fact, as this page has last read it; null if there is none. */
export function factOf({ items }: Facts, id: string): MemoryItem | null {
  return items.peek().find((one) => one.id === id) ?? null;
}

/**
 * Resolves with a fact. Rejects `conflict` if the fact was removed, or has another revision.
 *
 * @param revision the revision that the caller has read. Default: any
 */
export async function findFact(facts: Facts, id: string, revision?: number): Promise<MemoryItem> {
  await facts.known();
  const find = () =>
    facts.items.peek().find((one) => one.id === id && one.revision === (revision ?? one.revision));
  // Another page may have written it.
  if (!find()) await facts.load();
  const item = find();
  if (!item) throw new AgentSessionError('conflict', 'This fact has changed, or is not there.');
  return item;
}

/** Resolves with the fact that a model has named; null if the model has named none. Rejects as `findFact` does. */
export async function namedFact(facts: Facts, handle: string | undefined): Promise<MemoryItem | null> {
  await facts.known();
  return handle === undefined ? null : findFact(facts, ...readHandle(handle));
}

/** Writes a fact, or removes it if there is none after, and reads the store. */
export async function writeFact(
  { known, store, load }: Facts,
  before: MemoryItem | null,
  after: MemoryItem | null,
): Promise<void> {
  await known();
  try {
    if (after !== null) await store.put(after, before?.revision ?? null);
    else await store.remove(before!.id, before!.revision);
  } finally {
    // The outcome of the write counts, also if the store cannot be read now.
    await load().catch(() => {});
  }
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
