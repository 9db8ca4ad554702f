import type { Revision } from '../tools/tool.js';
import type { Domain } from '../tools/domain.js';
import type { ReadyCall } from '../turn/batch-call.js';
import { namesOf } from '../turn/company.js';
import type { Turn } from '../turn/turn-context.js';

/** A moment of a turn, for one call. Events after it may change what the call does. */
export interface Point {
  /** The number of changes by others that were noticed until then in the domain of the call. */
  readonly changes: number;
  /** The number of calls that the turn had started until then. */
  readonly started: number;
}

/** The parts of a call that say what it touches. */
type TouchingCall = Pick<ReadyCall, 'id' | 'tool' | 'value'>;

interface StartedCall {
  readonly id: string;
  readonly domain: string;
  readonly isIndependent: boolean;
  /** null if the tool names none. */
  readonly names: readonly string[] | null;
}

/**
 * Notices events that may change the effect of a call that has not started: changes of its domain by the app and the user, and earlier
 * calls of all agents of the turn that touch the same parts. A revision tells own changes from changes by others. If the domain has no
 * revision, each of its reports counts as a change by others.
 */
export class DomainChanges {
  /** The number of changes by others, by domain. */
  private readonly changes = new Map<string, number>();
  /** By domain, the last revision that was read, and the revision after the turn's own calls at that time. */
  private readonly seen = new Map<string, { readonly revision: Revision; readonly own: Revision }>();
  /** The calls that may have changed something, in the order in which they started. */
  private readonly started: StartedCall[] = [];

  constructor(private readonly turn: Pick<Turn, 'current' | 'ports'>) {}

  /** Returns the point of a call at this moment. */
  pointOf({ tool: { domain } }: TouchingCall): Point {
    this.look(domain);
    return { changes: this.changes.get(domain.id) ?? 0, started: this.started.length };
  }

  /** Returns true if something has happened after a point that may change the effect of a call. */
  isBehind(point: Point, call: TouchingCall): boolean {
    const { domain } = call.tool;
    this.look(domain);
    if (point.changes !== (this.changes.get(domain.id) ?? 0)) return true;
    return this.started.slice(point.started).some((one) => one.id !== call.id && this.overlaps(one, call));
  }

  /** Called before the executor of a call is called. */
  starting(call: TouchingCall): void {
    const { tool, id } = call;
    // No point has been taken yet, so there is nothing to compare.
    if (this.seen.size === 0) return;
    this.look(tool.domain, false);
    if (tool.readOnly) return;
    const { parallel: isIndependent = false } = tool.tool;
    this.started.push({ id, domain: tool.domain.id, isIndependent, names: this.namesOf(call) });
  }

  /**
   * Called when a domain reports a change, or the app calls `touch`. A report is ignored if the domain has a revision, because a revision
   * is more exact.
   */
  reported(domain: string, isReport: boolean): void {
    if (!isReport || this.seen.get(domain)?.revision === undefined) this.count(domain);
  }

  /** Compares the revision with the revision that is expected if only the turn's own calls changed it. */
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
      // Not reported here: `companyOf` reports it.
      return null;
    }
  }
}
