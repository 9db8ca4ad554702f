import type { Revision } from '../tools/tool.js';

/** A change of a domain, from one revision to another. */
export interface RevisionChange {
  readonly from: Revision;
  readonly to: Revision;
}

/** The changes that the closures of one call make to its domain, for telling them from those of the user. */
export class CallChanges {
  /** Changes that closures made at once, before they first waited. */
  private readonly atOnce: RevisionChange[] = [];

  /**
   * @param read returns the domain's revision now
   * @param call the change that the call itself made
   */
  constructor(
    private readonly read: () => Revision,
    private readonly call: RevisionChange,
  ) {}

  /** Starts a closure, and counts a change that it makes at once as its own. */
  follow<T>(start: () => T): T {
    const from = this.read();
    try {
      return start();
    } finally {
      const to = this.read();
      if (to !== from) this.atOnce.push({ from, to });
    }
  }

  /** Returns a function that returns the revision which the closures started from now on have made of `before` at once. */
  followFrom(before: Revision): () => Revision {
    const first = this.atOnce.length;
    return () => {
      const changes = this.atOnce.slice(first);
      return changes.reduce((own, { from, to }) => (from === own ? to : own), before);
    };
  }

  /**
   * Whether closures that waited explain all of a change: the domain is back at a revision from before or after the call, or its
   * counter advanced as far as in the call.
   */
  explain({ from, to }: RevisionChange): boolean {
    const { call } = this;
    return to === call.from || to === call.to || areAsFar(call, { from, to });
  }
}

/** Whether two changes advanced a counter as far as each other. */
export function areAsFar(one: RevisionChange, other: RevisionChange): boolean {
  return isCount(one) && isCount(other) && distance(one) === distance(other);
}

function isCount({ from, to }: RevisionChange): boolean {
  return typeof from === 'number' && typeof to === 'number';
}

function distance({ from, to }: RevisionChange): number {
  return Number(to) - Number(from);
}
