import { batch, signal, type ReadonlySignal } from '@handrail/session';
import { findCard, type Columns, type ColumnId, type PlacedCard } from './board.js';
import { applyChange, cardIdOf, touchedColumns, type BoardChange } from './board-change.js';

/** The author of a change. */
export type Author = 'user' | 'agent';

/** When and for whom the board was last published. */
export interface Publication {
  readonly at: number;
  readonly audience: string;
}

/** The part of a board that outlives a reload. */
export interface SavedBoard {
  readonly columns: Columns;
  readonly publication: Publication | null;
  /** The number of changes so far: the revisions in the log of the chat go on after a reload. */
  readonly revision: number;
  /** Revision of the user's last change, by card and by column. */
  readonly userChanges: Readonly<Record<string, number>>;
}

/**
 * The board. Tools change it by the same method as the user's edits do. It counts its revisions, and remembers
 * which of them were the user's, so that a tool can tell whether the card it is about to change is still the one that
 * the model saw.
 */
export class BoardStore {
  readonly columns: ReadonlySignal<Columns>;
  /** The card that the user points at; the agent reads it as context. */
  readonly selection: ReadonlySignal<string | null>;
  readonly publication: ReadonlySignal<Publication | null>;
  private readonly current;
  private readonly selected = signal<string | null>(null);
  private readonly published;
  private count;
  private readonly userChanges: Map<string, number>;

  constructor(initial: Columns, saved: Omit<SavedBoard, 'columns'> = neverChanged) {
    this.columns = this.current = signal(initial);
    this.selection = this.selected;
    this.publication = this.published = signal(saved.publication);
    this.count = saved.revision;
    this.userChanges = new Map(Object.entries(saved.userChanges));
  }

  /** The board as plain data. Depends, as a signal, on everything in it. */
  save(): SavedBoard {
    return {
      columns: this.columns.value,
      publication: this.publication.value,
      revision: this.count,
      userChanges: Object.fromEntries(this.userChanges),
    };
  }

  /** The number of changes so far, by any author. */
  revision(): number {
    return this.count;
  }

  find(reference: string): PlacedCard | undefined {
    return findCard(this.columns.peek(), reference);
  }

  /** Makes a change; false when it does not fit the board any more, which then stays as it is. */
  apply(change: BoardChange, by: Author): boolean {
    const before = this.columns.peek();
    const after = applyChange(before, change);
    if (after === null) return false;
    const revision = ++this.count;
    if (by === 'user') {
      for (const key of [cardIdOf(change), ...touchedColumns(change, before)])
        this.userChanges.set(key, revision);
    }
    batch(() => {
      this.current.value = after;
      const { value: selected } = this.selected;
      if (selected !== null && findCard(after, selected)?.card.id !== selected) this.selected.value = null;
    });
    return true;
  }

  /** The revision in which the user changed this card or column, if that was after the given one. */
  userChangeSince(key: string | ColumnId, revision: number): number | undefined {
    const changed = this.userChanges.get(key);
    return changed !== undefined && changed > revision ? changed : undefined;
  }

  select(cardId: string | null): void {
    this.selected.value = cardId;
  }

  publish(publication: Publication): void {
    this.published.value = publication;
  }
}

const neverChanged: Omit<SavedBoard, 'columns'> = { publication: null, revision: 0, userChanges: {} };
