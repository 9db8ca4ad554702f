import { put, type Parts, type Write } from './targeted-app.js';

/** A turn or an edit of the user, in order of time. */
interface Item {
  readonly turnId: string | null;
  readonly writes: readonly Write[];
  inForce: boolean;
  /** Whether `redo` may make it again; null while it was never undone. */
  redoable: boolean;
  /** Whether the user changed the document since the session last moved the turn. */
  changed: boolean;
}

/** The answer that a command must give. */
export type Expected =
  | { readonly code: 'nothing-to-undo' }
  | { readonly code: 'conflict'; readonly inTheWay?: readonly string[] }
  | { readonly code: null; readonly turnId: string };

/**
 * The reference: the app is what the turns in force and the edits of the user make of an empty one, in order of time. An undo takes a turn
 * out of this list as if it had never been.
 */
export class TargetedModel {
  private readonly items: Item[] = [];
  /** Ids of the turns in the order of their undo. */
  private undone: string[] = [];

  get parts(): Parts {
    const parts: Parts = {};
    for (const { inForce, writes } of this.items) if (inForce) for (const write of writes) put(parts, write);
    return parts;
  }

  get turnIds(): readonly string[] {
    return this.items.flatMap(({ turnId }) => turnId ?? []);
  }

  send(turnId: string, writes: readonly Write[]): void {
    for (const item of this.items) item.redoable = false;
    this.undone = [];
    this.items.push({ turnId, writes, inForce: true, redoable: false, changed: false });
  }

  edit(domain: Write['domain'], value: string): void {
    const writes = [{ domain, path: 'mine', value }];
    this.items.push({ turnId: null, writes, inForce: true, redoable: false, changed: false });
    const closed: Item[] = [];
    for (const item of this.items) {
      const isIn = item.writes.some((write) => write.domain === domain);
      if (item.turnId !== null && domain === 'doc' && isIn) item.changed = true;
      if (!item.redoable || !(isIn || closed.some((one) => meet(one, item)))) continue;
      item.redoable = false;
      closed.push(item);
    }
  }

  /** Returns the answer to a command about a turn; by default about the one that the command takes itself. */
  expected(direction: 'undo' | 'redo', turnId: string | undefined, force: boolean): Expected {
    const item = turnId === undefined ? this.next(direction) : this.find(turnId);
    const isPossible = direction === 'undo' ? item?.inForce && item.writes.length > 0 : item?.redoable;
    if (!item || !isPossible) return { code: 'nothing-to-undo' };
    const inTheWay = this.inTheWay(item);
    if (inTheWay.length > 0) return { code: 'conflict', inTheWay };
    const isChanged = item.changed && item.writes.some(({ domain }) => domain === 'doc');
    return isChanged && !force ? { code: 'conflict' } : { code: null, turnId: item.turnId! };
  }

  /** The turn was undone, or made again. */
  move(direction: 'undo' | 'redo', turnId: string): void {
    const item = this.find(turnId)!;
    item.inForce = direction === 'redo';
    item.redoable = direction === 'undo';
    item.changed = false;
    this.undone = this.undone.filter((id) => id !== turnId);
    if (direction === 'undo') this.undone.push(turnId);
  }

  /** Returns everything that has to be moved before a turn can be, in this order: the turns in its way, and those in theirs. */
  inTheWay(item: Item): readonly string[] {
    const direct = this.items.filter((other) => {
      if (other.turnId === null || other.inForce !== item.inForce || !meet(item, other)) return false;
      const isLater = this.items.indexOf(other) > this.items.indexOf(item);
      const isEarlier = this.items.indexOf(other) < this.items.indexOf(item);
      return item.inForce ? isLater : isEarlier && this.undone.includes(other.turnId);
    });
    const ids = new Set(direct.flatMap((other) => [other.turnId!, ...this.inTheWay(other)]));
    const inOrder = this.turnIds.filter((id) => ids.has(id));
    return item.inForce ? inOrder.toReversed() : inOrder;
  }

  find(turnId: string): Item | undefined {
    return this.items.find((item) => item.turnId === turnId);
  }

  private next(direction: 'undo' | 'redo'): Item | undefined {
    if (direction === 'undo')
      return this.items.findLast(({ turnId, inForce, writes }) => turnId && inForce && writes.length > 0);
    const last = this.undone.findLast((id) => this.find(id)!.redoable);
    return last === undefined ? undefined : this.find(last);
  }
}

function meet(one: Item, other: Item): boolean {
  return one.writes.some((a) => other.writes.some((b) => touch(a, b)));
}

function touch(a: Write, b: Write): boolean {
  if (a.domain !== b.domain) return false;
  if (a.domain === 'log') return true;
  return `${a.path}/`.startsWith(`${b.path}/`) || `${b.path}/`.startsWith(`${a.path}/`);
}
