import type { Revision } from '../tools/tool.js';
import type { Domain } from '../tools/domain.js';
import type { ReadyCall } from '../turn/batch-call.js';
import { namesOf } from '../turn/company.js';
import type { AskingTurn } from '../turn/turn-request.js';

/** A moment of a turn, for a call: what happened behind it may change what the call does. */
export interface Point {
  /** The number of changes by others that were noticed in the domain of the call. */
  readonly changes: number;
  /** The number of calls that the turn had started. */
  readonly started: number;
}

/** The parts of a call that say what it touches. */
type TouchingCall = Pick<ReadyCall, 'id' | 'tool' | 'value'>;

interface StartedCall {
  readonly id: string;
  readonly domain: string;
  readonly isIndependent: boolean;
  /** null where the tool names none. */
  readonly names: readonly string[] | null;
}

/**
 * Notices what may change the effect of a call that has not started: changes of its domain by the app and the user, and earlier calls of the turn
 * that touch the same. A revision tells the two apart; where the domain has none, each report of it counts as a change by others.
 */
export class DomainChanges {
  /** By domain, the number of changes by others. */
  private readonly changes = new Map<string, number>();
  /** By domain, the revision that was seen last, and that which the turn's own calls had left then. */
  private readonly seen = new Map<string, { readonly revision: Revision; readonly own: Revision }>();
  /** The calls that may have changed something, in the order of their starts. */
  private readonly started: StartedCall[] = [];

  constructor(private readonly turn: Pick<AskingTurn, 'current' | 'ports'>) {}

  /** Returns the point of a call at this moment. */
  pointOf({ tool: { domain } }: TouchingCall): Point {
    this.look(domain);
    return { changes: this.changes.get(domain.id) ?? 0, started: this.started.length };
  }

  /** Whether something has happened behind a point that may change the effect of a call. */
  isBehind(point: Point, call: TouchingCall): boolean {
    const { domain } = call.tool;
    this.look(domain);
    if (point.changes !== (this.changes.get(domain.id) ?? 0)) return true;
    return this.started.slice(point.started).some((one) => one.id !== call.id && this.overlaps(one, call));
  }

  /** Is called before the executor of a call is called. */
  starting(call: TouchingCall): void {
    const { tool, id } = call;
    // Without a point there is nothing to compare with.
    if (this.seen.size === 0) return;
    this.look(tool.domain, false);
    if (tool.readOnly) return;
    const { parallel: isIndependent = false } = tool.tool;
    this.started.push({ id, domain: tool.domain.id, isIndependent, names: this.namesOf(call) });
  }

  /** Is called when a domain reports a change, or the app says that it changed one. A revision tells more than a report. */
  reported(domain: string, isReport: boolean): void {
    if (!isReport || this.seen.get(domain)?.revision === undefined) this.count(domain);
  }

  /** Compares the revision with the one that it has if only the turn's own calls moved it. */
  private look(domain: Domain, isFirst = true): void {
    const { id } = domain;
    const before = this.seen.get(id);
    if (before === undefined && !isFirst) return;
    let revision: Revision;
    try {
      revision = domain.revision?.();
    } catch (error) {
      this.turn.ports.reportError(error);
    }
    const own = this.turn.current().fold.turn?.revisions?.own[id];
    this.seen.set(id, { revision, own });
    if (before === undefined) return;
    const expected = own === before.own ? before.revision : own;
    if (revision !== expected) this.count(id);
  }

  private count(domain: string): void {
    this.changes.set(domain, (this.changes.get(domain) ?? 0) + 1);
  }

  private overlaps(one: StartedCall, call: TouchingCall): boolean {
    if (one.domain !== call.tool.domain.id) return false;
    if (one.isIndependent || call.tool.tool.parallel === true) return false;
    const names = this.namesOf(call);
    return one.names === null || names === null || names.some((name) => one.names!.includes(name));
  }

  private namesOf({ tool, value }: TouchingCall): readonly string[] | null {
    try {
      return namesOf(tool, value);
    } catch {
      // Reported where the company of the call is read.
      return null;
    }
  }
}
