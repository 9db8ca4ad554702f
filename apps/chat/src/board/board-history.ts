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

/** One entry of the history: an edit of the user, or all effects of one turn of the agent. */
export interface HistoryGroup {
  readonly id: number;
  readonly by: Author;
  readonly label: string;
  readonly steps: number;
  /** `kept`: the edit could not be undone, because the same card was changed later. */
  readonly state: 'done' | 'undone' | 'kept';
}

/**
 * The board's undo history. Each edit of the user is one group, and so is each turn of the agent. A group is
 * undone by inverse steps instead of restoring an old board, so that the other groups stay.
 *
 * The session uses it as its `UndoProvider`. `UndoHistory` runs the closures that tools gave.
 */
export class BoardHistory implements UndoProvider {
  /** The effects of one agent of a turn can be moved alone. */
  readonly groups = true;
  readonly list: ReadonlySignal<readonly HistoryGroup[]>;
  private readonly all = signal<readonly HistoryGroup[]>([]);
  private readonly edits = new Map<number, readonly BoardChange[]>();
  private readonly turns = new UndoHistory();
  private lastId = 0;

  constructor(private readonly board: BoardStore) {
    this.list = this.all;
  }

  /** Makes an edit of the user and records it. */
  edit(label: string, ...changes: readonly BoardChange[]): void {
    const made = changes.filter((change) => this.board.apply(change, 'user'));
    if (made.length === 0) return;
    // Edits that were undone before a new edit cannot be redone, because they may no longer fit the board.
    this.all.value = this.all.value.filter((group) => group.by === 'agent' || group.state !== 'undone');
    this.edits.set(this.push('user', label, made.length), made);
  }

  /** Undoes the user's last edit and returns it; null if there is none, or if it no longer fits the board. */
  undoEdit(): HistoryGroup | null {
    const group = this.all.value.findLast(({ by, state }) => by === 'user' && state === 'done');
    return group ? this.replay(group, this.edits.get(group.id)!.toReversed().map(inverseOf), 'undone') : null;
  }

  redoEdit(): HistoryGroup | null {
    const group = this.all.value.find(({ by, state }) => by === 'user' && state === 'undone');
    return group ? this.replay(group, this.edits.get(group.id)!, 'done') : null;
  }

  /** Called when a turn of the agent begins. */
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

  /** Adds a turn of the agent from before a reload to the list when it is undone or redone. */
  restore(turnId: string, entries: readonly UndoEntry[]): CommittedEffects {
    const label = entries.map(({ description }) => description).join(', ');
    return this.group(label, entries.length, this.turns.restore(turnId, entries));
  }

  /** Adds a turn of the agent to the list, and updates it when the turn is undone or redone. */
  private group(label: string, steps: number, effects: CommittedEffects): CommittedEffects {
    const id = this.push('agent', label, steps);
    const marked =
      (state: HistoryGroup['state'], callIds: ReadonlySet<string> | undefined) => (report: HistoryReport) => {
        // The turn stays as it is if only the effects of one agent are moved.
        if (callIds === undefined) this.mark(id, report.failed.length === 0 ? state : 'kept');
        return report;
      };
    const { reapply } = effects;
    return {
      ...effects,
      revert: (expected, callIds) => effects.revert(expected, callIds).then(marked('undone', callIds)),
      ...(reapply && {
        reapply: (expected, callIds) => reapply(expected, callIds).then(marked('done', callIds)),
      }),
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
