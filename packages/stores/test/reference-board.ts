import type { UndoReport } from '@banister/session';
import type { StoreBoard } from '@banister/testing';
import type { Patch } from '@banister/stores';
import { carryOut, pathOf, type Change } from './board-changes.js';

/** A group of changes that is undone as a whole: changes of the user, or the changes that a call makes before it waits. */
export interface Group {
  readonly changes: Change[];
  /** null for the user. */
  readonly call: string | null;
  patches: readonly Patch[];
  /** The sentences about the changes that the last undo left in place, '' if it left none; null while the group is not undone. */
  kept: string | null;
  /**
   * Whether the group was ever undone. If it is redone, its elements are put beside their current neighbours.
   */
  wasMoved: boolean;
}

/** Knows from the session's reports which changes are in effect. It knows no patches. */
export class ReferenceBoard {
  private readonly groups: Group[] = [];
  /** The groups of calls that recorded an effect, by its key. */
  private readonly effects = new Map<string, Group>();

  begin(call: string | null): Group {
    const group: Group = { changes: [], call, patches: [], kept: null, wasMoved: false };
    this.groups.push(group);
    return group;
  }

  recorded(key: string, group: Group, patches: readonly Patch[]): void {
    this.effects.set(key, group);
    group.patches = patches;
  }

  /** Notes an attempt to undo or redo an effect. `failure`: the sentences about what was not changed. */
  moved(key: string, direction: 'revert' | 'reapply', failure: string | null): void {
    const group = this.effects.get(key);
    if (group === undefined) throw new Error('An effect of no group is moved.');
    group.wasMoved = true;
    if (direction === 'revert') group.kept = failure ?? '';
    else if (failure === null) group.kept = null;
  }

  /** Returns the calls in a report whose groups were not moved as the report says. */
  problemsOf({ done, failed }: UndoReport, direction: 'undo' | 'redo'): readonly string[] {
    const isWanted = ({ kept }: Group) => (direction === 'undo' ? kept === '' : kept === null);
    const isMoved = (callId: string) =>
      [...this.effects.values()].filter(({ call }) => call === callId).every(isWanted);
    return [
      ...done.filter((item) => !isMoved(item.toolCallId)).map((item) => `${item.toolCallId} is not done`),
      ...failed.filter((item) => isMoved(item.toolCallId)).map((item) => `${item.toolCallId} has not failed`),
    ];
  }

  /** Makes the changes that are in effect on an empty board. */
  replay(): StoreBoard {
    const board: StoreBoard = { cards: [], filter: '' };
    for (const { changes, kept } of this.groups)
      for (const change of changes)
        if (kept === null || isKept(change, changes, kept)) carryOut(board, change);
    return board;
  }

  /** Returns the order of the cards that no undone change has moved. */
  settledOrder({ cards }: StoreBoard): readonly string[] {
    const moved = new Set<string>();
    for (const { changes, patches, wasMoved } of this.groups) {
      if (wasMoved) for (const { path, from, to } of patches) if (from || to) moved.add(String(path[1]));
      for (const change of changes) {
        if (change.type !== 'add' && change.type !== 'move') continue;
        // A card beside a moved card has moved too.
        if (wasMoved || (change.after !== null && moved.has(change.after))) moved.add(change.id);
      }
    }
    return cards.map(({ id }) => id).filter((id) => !moved.has(id));
  }
}

/** Returns whether a change stays although its group was undone, by the sentences about what stays. */
function isKept(change: Change, group: readonly Change[], sentences: string): boolean {
  if (sentences === '') return false;
  const kept = [...sentences.matchAll(/(\S+) (?:was (changed|moved) since|is no longer there)/g)];
  return kept.some(([, path, verb]) => {
    const own = pathOf(change);
    if (verb === 'moved') return change.type === 'move' && own === path;
    if (own === path) return change.type !== 'move' || group.some(({ type }) => type === 'add');
    return own.startsWith(`${path}/`);
  });
}
