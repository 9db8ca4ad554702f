import {
  UndoHistory,
  type HistoryReport,
  type CommittedEffects,
  type UndoEntry,
  type UndoProvider,
  type UndoTransaction,
} from '@banister/session';
import { signal, type ReadonlySignal } from '@banister/session/signals';
import { inverseOf, type BoardChange } from './board-change.js';
import type { Author, BoardStore } from './board-store.js';

/** One entry of the history: an edit of the user, or everything that one turn of the agent did. */
export interface HistoryGroup {
  readonly id: number;
  readonly by: Author;
  readonly label: string;
  readonly steps: number;
  /** `kept`: it could not be taken back, because the same card was changed later. */
  readonly state: 'done' | 'undone' | 'kept';
}

/**
 * The board's undo history. An edit of the user is one group, a whole turn of the agent is one group too; each is taken
 * back by inverse steps, not by restoring an old board, so that undoing one leaves the other alone.
 *
 * The session talks to it as its `UndoProvider`; running the closures that tools gave is left to `UndoHistory`.
 */
export class BoardHistory implements UndoProvider {
  readonly groups: ReadonlySignal<readonly HistoryGroup[]>;
  private readonly all = signal<readonly HistoryGroup[]>([]);
  private readonly edits = new Map<number, readonly BoardChange[]>();
  private readonly turns = new UndoHistory();
  private lastId = 0;

  constructor(private readonly board: BoardStore) {
    this.groups = this.all;
  }

  /** Makes an edit of the user and remembers it. */
  edit(label: string, ...changes: readonly BoardChange[]): void {
    const made = changes.filter((change) => this.board.apply(change, 'user'));
    if (made.length === 0) return;
    // Edits that were undone before a new edit cannot be redone: they may not fit the board any more.
    this.all.value = this.all.value.filter((group) => group.by === 'agent' || group.state !== 'undone');
    this.edits.set(this.push('user', label, made.length), made);
  }

  /** Takes the user's last edit back; what it was, or null when there was none or it does not fit any more. */
  undoEdit(): HistoryGroup | null {
    const group = this.all.value.findLast(({ by, state }) => by === 'user' && state === 'done');
    return group ? this.replay(group, this.edits.get(group.id)!.toReversed().map(inverseOf), 'undone') : null;
  }

  redoEdit(): HistoryGroup | null {
    const group = this.all.value.find(({ by, state }) => by === 'user' && state === 'undone');
    return group ? this.replay(group, this.edits.get(group.id)!, 'done') : null;
  }

  /** A turn of the agent begins. */
  begin(label: string): UndoTransaction {
    const transaction = this.turns.begin(label);
    let steps = 0;
    return {
      record: (entry) => {
        steps++;
        return transaction.record(entry);
      },
      rollback: (expected) => transaction.rollback(expected),
      commit: async () => {
        const effects = await transaction.commit();
        return steps === 0 ? effects : this.group(label, steps, effects);
      },
    };
  }

  /** A turn of the agent from before a reload joins the list when it is undone or done again. */
  restore(turnId: string, entries: readonly UndoEntry[]): CommittedEffects {
    const label = entries.map(({ description }) => description).join(', ');
    return this.group(label, entries.length, this.turns.restore(turnId, entries));
  }

  /** Adds a turn of the agent to the list, and marks it there whenever it is undone or done again. */
  private group(label: string, steps: number, effects: CommittedEffects): CommittedEffects {
    const id = this.push('agent', label, steps);
    const marked = (state: HistoryGroup['state']) => (report: HistoryReport) => {
      this.mark(id, report.failed.length === 0 ? state : 'kept');
      return report;
    };
    return {
      ...effects,
      revert: (expected) => effects.revert(expected).then(marked('undone')),
      ...(effects.reapply ? { reapply: (expected) => effects.reapply!(expected).then(marked('done')) } : {}),
    };
  }

  private replay(
    group: HistoryGroup,
    changes: readonly BoardChange[],
    state: HistoryGroup['state'],
  ): HistoryGroup {
    const fitted = changes.filter((change) => this.board.apply(change, 'user'));
    return this.mark(group.id, fitted.length === changes.length ? state : 'kept');
  }

  private push(by: Author, label: string, steps: number): number {
    const id = ++this.lastId;
    this.all.value = [...this.all.value, { id, by, label, steps, state: 'done' }];
    return id;
  }

  private mark(id: number, state: HistoryGroup['state']): HistoryGroup {
    this.all.value = this.all.value.map((group) => (group.id === id ? { ...group, state } : group));
    return this.all.value.find((group) => group.id === id)!;
  }
}
