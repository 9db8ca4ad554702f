import type { Revision } from '../tools/tool.js';

/** A change of a domain, from one revision to another. */
export interface RevisionChange {
  readonly from: Revision;
  readonly to: Revision;
}

/** Records the changes that the closures of one call make to its domain, to distinguish them from changes of the user. */
export class CallChanges {
  /** The changes that closures made synchronously, before their first wait. */
  private readonly atOnce: RevisionChange[] = [];

  /**
   * @param read returns the current revision of the domain
   * @param call the change that the call itself made
   */
  constructor(
    private readonly read: () => Revision,
    private readonly call: RevisionChange,
  ) {}

  /** Starts a closure, and records a change that it makes synchronously as its own. */
  follow<T>(start: () => T): T {
    const from = this.read();
    try {
      return start();
    } finally {
      const to = this.read();
      if (to !== from) this.atOnce.push({ from, to });
    }
  }

  /**
   * Returns a function for a later time. That function returns the revision that results from `before` by the synchronous changes of the
   * closures started since this call.
   */
  followFrom(before: Revision): () => Revision {
    const first = this.atOnce.length;
    return () => {
      const changes = this.atOnce.slice(first);
      return changes.reduce((own, { from, to }) => (from === own ? to : own), before);
    };
  }

  /**
   * Returns true if closures that waited explain a whole change: the domain is back at a revision from before or after the call, or its
   * counter advanced as far as in the call.
   */
  explain({ from, to }: RevisionChange): boolean {
    const { call } = this;
    return to === call.from || to === call.to || areAsFar(call, { from, to });
  }
}

/** Returns true if both revisions are counters, and both changes advanced them equally. */
export function areAsFar(one: RevisionChange, other: RevisionChange): boolean {
  return isCount(one) && isCount(other) && distance(one) === distance(other);
}

function isCount({ from, to }: RevisionChange): boolean {
  return typeof from === 'number' && typeof to === 'number';
}

function distance({ from, to }: RevisionChange): number {
  return Number(to) - Number(from);
}
