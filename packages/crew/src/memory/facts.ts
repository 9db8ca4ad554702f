import { AgentSessionError, type MemoryItem, type MemorySource, type MemoryStore } from '@banister/session';
import { batch, signal } from '@banister/session/signals';

/** The highest number of characters of a fact. */
export const LONGEST_FACT = 1_000;

/** The facts of a store, as this page has last read them. */
export class Facts {
  /** Pinned facts first, then the newest. */
  readonly items = signal<readonly MemoryItem[]>([]);
  /** Whether the last reading of the store succeeded. */
  readonly ready = signal(false);
  /** The number of changes after the first reading. */
  readonly changes = signal(0);
  private readonly leave: (() => void) | undefined;
  /** The number of readings that have begun. */
  private begun = 0;
  /** The number of the reading that `items` shows; 0 before the first. */
  private shown = 0;
  private isDisposed = false;

  constructor(readonly store: MemoryStore) {
    // A reading that fails here is repeated when the facts are used.
    const read = () => void this.load().catch(() => {});
    this.leave = store.subscribe?.(read);
    read();
  }

  /** Reads the store. */
  async load(): Promise<void> {
    this.check();
    const number = ++this.begun;
    try {
      const items = [...(await this.store.load())].sort(byImportance);
      // A reading that began later has ended first.
      if (this.isDisposed || number < this.shown) return;
      const isChange = this.shown > 0;
      this.shown = number;
      batch(() => {
        this.ready.value = true;
        if (isSame(items, this.items.peek())) return;
        this.items.value = items;
        if (isChange) this.changes.value++;
      });
    } catch (error) {
      if (number > this.shown) this.ready.value = false;
      throw error;
    }
  }

  /** Resolves with the facts. Reads the store if the last reading failed. */
  async known(): Promise<readonly MemoryItem[]> {
    this.check();
    if (!this.ready.peek()) await this.load();
    return this.items.peek();
  }

  /**
   * Resolves with a fact. Rejects `conflict` if the fact was removed, or has another revision.
   *
   * @param revision the revision that the caller has read. Default: any
   */
  async find(id: string, revision?: number): Promise<MemoryItem> {
    const item = (await this.known()).find((one) => one.id === id);
    if (item === undefined || item.revision !== (revision ?? item.revision))
      throw new AgentSessionError(
        'conflict',
        item === undefined
          ? `There is no fact ${JSON.stringify(id)}.`
          : `The fact ${JSON.stringify(id)} has changed.`,
      );
    return item;
  }

  /** Writes a fact, or removes it, and reads the store. */
  async write(id: string, before: MemoryItem | null, after: MemoryItem | null): Promise<void> {
    this.check();
    const { store } = this;
    try {
      if (after !== null) await store.put(after, before?.revision ?? null);
      else if (before !== null) await store.remove(id, before.revision);
    } finally {
      // The outcome of the write counts, also if the store cannot be read now.
      await this.load().catch(() => {});
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.leave?.();
  }

  private check(): void {
    if (this.isDisposed) throw new AgentSessionError('disposed', 'This memory was disposed.');
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
    ...(about && { about }),
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
  const bytes = crypto.getRandomValues(new Uint8Array(5));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function byImportance(a: MemoryItem, b: MemoryItem): number {
  return Number(b.pinned === true) - Number(a.pinned === true) || b.changedAt - a.changedAt;
}

function isSame(some: readonly MemoryItem[], others: readonly MemoryItem[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ id, revision }, index) => others[index]!.id === id && others[index]!.revision === revision)
  );
}
