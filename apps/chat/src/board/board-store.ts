import { contentRevision } from '@banister/session';
import { batch, signal, type ReadonlySignal } from '@banister/session/signals';
import { findCard, type Columns, type ColumnId, type PlacedCard } from './board.js';
import { applyChange, cardIdOf, changesBetween, touchedColumns, type BoardChange } from './board-change.js';

/** The author of a change. */
export type Author = 'user' | 'agent';

/** The origin of a change: the user, a call of the agent, its undo, or its redo. */
export type ChangeKind = 'user' | 'made' | 'back' | 'again';

/** When and for whom the board was last published. */
export interface Publication {
  readonly at: number;
  readonly audience: string;
  /** The day on which it is published, as YYYY-MM-DD; absent if it was published at once. */
  readonly on?: string;
  /** The key of the call that published it; absent in boards of older releases. */
  readonly call?: string;
}

/** An earlier change. */
export interface PastChange {
  /** The revision of the board after the change. */
  readonly revision: string;
  /** The card and the columns that the user changed; empty for a change of the agent. */
  readonly byUser: readonly string[];
  /** The call of the agent that made the change; absent if no call made it. */
  readonly call?: { readonly key: string; readonly change: BoardChange };
}

/** The board as plain data. This part outlives a page. */
export interface SavedBoard {
  readonly columns: Columns;
  readonly publication: Publication | null;
  /** The last changes, oldest first. */
  readonly past: readonly PastChange[];
}

/** Stores a board outside of the page. */
export interface BoardKeeper {
  /** Returns the board if it was changed elsewhere after the last call or `write`; else null. */
  read(): SavedBoard | null;
  write(saved: SavedBoard, changes: readonly BoardChange[], by: Author): void;
}

const KEPT_CHANGES = 200;

/**
 * The board. Tools and the user's edits change it with the same methods. Its revision depends only on its
 * content. It remembers which of the last changes the user made, so that a tool can tell whether a card
 * changed after the model saw it.
 */
export class BoardStore {
  readonly columns: ReadonlySignal<Columns>;
  /** The card that the user points at; the agent reads it as context. */
  readonly selection: ReadonlySignal<string | null>;
  readonly publication: ReadonlySignal<Publication | null>;
  /** Equal content has an equal revision, in every tab and after a reload. */
  readonly revision: () => string;
  private readonly current;
  private readonly selected = signal<string | null>(null);
  private readonly published = signal<Publication | null>(null);
  private past: readonly PastChange[] = [];
  private readonly watchers = new Set<(change: BoardChange, kind: ChangeKind) => void>();

  /** @param keeper where the board is stored. Default: nowhere; then the board lives as long as the page */
  constructor(
    initial: Columns,
    private readonly keeper: BoardKeeper = { read: () => null, write: () => {} },
  ) {
    this.columns = this.current = signal(initial);
    this.selection = this.selected;
    this.publication = this.published;
    this.revision = contentRevision(() => this.current.peek());
    this.refresh();
  }

  find(reference: string): PlacedCard | undefined {
    return findCard(this.columns.peek(), reference);
  }

  /** Calls `watcher` after each change in this tab, until the returned function is called. */
  watch(watcher: (change: BoardChange, kind: ChangeKind) => void): () => void {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  /** Reads the board as another tab has left it. */
  refresh(): void {
    const news = this.keeper.read();
    if (news === null) return;
    this.past = news.past;
    batch(() => {
      this.published.value = news.publication;
      this.show(news.columns);
    });
  }

  /**
   * Makes a change. Returns false and changes nothing if the change no longer fits the board.
   *
   * @param key the key of the call that makes the change; the board stores it in the same write as the change
   */
  apply(change: BoardChange, by: Author, key?: string): boolean {
    this.refresh();
    const after = applyChange(this.columns.peek(), change);
    if (after === null) return false;
    this.show(after);
    const byUser = by === 'user' ? [cardIdOf(change), ...touchedColumns(change)] : [];
    this.made([change], by, byUser, key === undefined ? {} : { call: { key, change } });
    this.tell([change], by === 'user' ? 'user' : 'made');
    return true;
  }

  /** Puts the cards where an undo or a redo of the agent's changes leaves them. */
  replace(after: Columns, kind: 'back' | 'again'): void {
    const changes = changesBetween(this.columns.peek(), after);
    this.show(after);
    this.made(changes, 'agent', []);
    this.tell(changes, kind);
  }

  /** Returns the changes that a call made, by its key, even if an earlier page was closed during the call. */
  madeBy(key: string): readonly BoardChange[] {
    return this.past.flatMap(({ call }) => (call?.key === key ? call.change : []));
  }

  /**
   * Returns the revision in which the user last changed this card or column, if that was after the given
   * revision.
   */
  userChangeSince(key: string | ColumnId, revision: string): string | undefined {
    const read = this.past.findLastIndex((change) => change.revision === revision);
    return this.past.slice(read + 1).findLast(({ byUser }) => byUser.includes(key))?.revision;
  }

  select(cardId: string | null): void {
    this.selected.value = cardId;
  }

  publish(publication: Publication): void {
    this.refresh();
    this.published.value = publication;
    this.keep([], 'agent');
  }

  private show(columns: Columns): void {
    batch(() => {
      this.current.value = columns;
      const { value: selected } = this.selected;
      if (selected !== null && findCard(columns, selected)?.card.id !== selected) this.selected.value = null;
    });
  }

  private tell(changes: readonly BoardChange[], kind: ChangeKind): void {
    for (const change of changes) for (const watcher of this.watchers) watcher(change, kind);
  }

  private made(
    changes: readonly BoardChange[],
    by: Author,
    byUser: PastChange['byUser'],
    call: Pick<PastChange, 'call'> = {},
  ): void {
    this.past = [...this.past, { revision: this.revision(), byUser, ...call }].slice(-KEPT_CHANGES);
    this.keep(changes, by);
  }

  private keep(changes: readonly BoardChange[], by: Author): void {
    const { columns, publication, past } = this;
    this.keeper.write({ columns: columns.peek(), publication: publication.peek(), past }, changes, by);
  }
}
