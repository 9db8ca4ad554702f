import type { JsonObject } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import type { Columns } from './board.js';
import type { BoardChange } from './board-change.js';
import type { Author, BoardKeeper, BoardStore, PastChange, Publication, SavedBoard } from './board-store.js';
import { detailNames, detailsIn } from './card-details.js';
import { firstBoard } from './first-board.js';

const KEY = 'banister.board';
const VERSION = 2;
/** How many of its own changes a tab can repeat, and how many tabs' changes are counted. */
const REMEMBERED = 20;

/** A board in the storage, with the number of the last change of each tab that it contains. */
interface StoredBoard extends SavedBoard {
  readonly made: Readonly<Record<string, number>>;
}

/**
 * Stores one board in the storage of the origin, for all tabs and all chats. The other tabs read a change
 * before they change anything, and show it at once.
 *
 * The storage has no transactions. If two tabs write at the same moment, the second write wins. The first tab
 * finds that its change is missing, and makes the change again.
 */
export class SharedBoard implements BoardKeeper {
  /** The text in the storage that this tab last read or wrote. */
  private known: string | null = null;
  private made: Readonly<Record<string, number>> = {};
  /** The last changes of this tab, each with the number of its write. */
  private own: readonly { readonly number: number; readonly change: BoardChange; readonly by: Author }[] = [];

  /** @param tab a name that no other tab has */
  constructor(
    private readonly storage: Pick<Storage, 'getItem' | 'setItem'>,
    private readonly tab: string,
  ) {}

  read(): SavedBoard | null {
    const text = this.stored();
    if (text === null || text === this.known) return null;
    this.known = text;
    const saved = boardIn(text);
    if (saved !== null) this.made = saved.made;
    return saved;
  }

  write(saved: SavedBoard, changes: readonly BoardChange[], by: Author): void {
    const number = Math.max(this.own.at(-1)?.number ?? 0, this.made[this.tab] ?? 0) + 1;
    this.own = [...this.own, ...changes.map((change) => ({ number, change, by }))].slice(-REMEMBERED);
    const others = Object.entries(this.made).filter(([tab]) => tab !== this.tab);
    this.made = Object.fromEntries([...others, [this.tab, number] as const].slice(-REMEMBERED));
    const text = JSON.stringify({ version: VERSION, ...saved, made: this.made });
    this.known = text;
    try {
      this.storage.setItem(KEY, text);
    } catch {
      // The storage is full or forbidden: this tab continues with its own board.
    }
  }

  /** Shows the changes of other tabs, until the returned function is called. */
  follow(board: BoardStore): () => void {
    const onStorage = ({ key }: StorageEvent): void => {
      if (key !== KEY) return;
      board.refresh();
      const last = this.made[this.tab] ?? 0;
      const lost = this.own.filter(({ number }) => number > last);
      if (lost.length === 0) return;
      this.own = this.own.filter(({ number }) => number <= last);
      for (const { change, by } of lost) board.apply(change, by);
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  }

  private stored(): string | null {
    try {
      return this.storage.getItem(KEY);
    } catch {
      // The storage is forbidden. A board without storage still works.
      return null;
    }
  }
}

/** Returns null for text of another release or another app. */
function boardIn(text: string): StoredBoard | null {
  try {
    const saved: unknown = JSON.parse(text);
    if (!isJsonObject(saved) || saved.version !== VERSION || !isBoard(saved.columns)) return null;
    const { columns, publication, past, made } = saved;
    return {
      columns,
      publication: isPublication(publication) ? publication : null,
      past: Array.isArray(past) && past.every(isPastChange) ? past : [],
      made: isCounts(made) ? made : {},
    };
  } catch {
    return null;
  }
}

function isBoard(value: unknown): value is Columns {
  return (
    Array.isArray(value) &&
    value.length === firstBoard.length &&
    firstBoard.every(({ id }, index) => {
      const column: unknown = value[index];
      return (
        isJsonObject(column) && column.id === id && Array.isArray(column.cards) && column.cards.every(isCard)
      );
    })
  );
}

function isCard(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    typeof value.id === 'string' &&
    typeof value.title === 'string' &&
    // Boards of earlier releases have no details. A detail of the wrong type would be shown incorrectly.
    detailNames.every((name) => value[name] === undefined || name in detailsIn(value))
  );
}

function isPublication(value: unknown): value is Publication & JsonObject {
  return isJsonObject(value) && typeof value.at === 'number' && typeof value.audience === 'string';
}

function isPastChange(value: unknown): value is PastChange & JsonObject {
  return isJsonObject(value) && typeof value.revision === 'string' && Array.isArray(value.byUser);
}

function isCounts(value: unknown): value is Readonly<Record<string, number>> {
  return isJsonObject(value) && Object.values(value).every((count) => typeof count === 'number');
}
