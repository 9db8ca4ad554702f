import type { Revision } from '../tools/tool.js';

/** From one revision of a domain to another. */
export interface Move {
  readonly from: Revision;
  readonly to: Revision;
}

/** How the steps of one call move its domain: which of the changes are theirs, and which may be the user's. */
export class CallChanges {
  /** Moves that closures made at once, before they first waited. */
  private readonly atOnce: Move[] = [];

  /**
   * @param read the domain's revision now
   * @param call how far the call itself moved the domain
   */
  constructor(
    private readonly read: () => Revision,
    private readonly call: Move,
  ) {}

  /** Starts a closure. A change that it makes at once is its own. */
  follow<T>(start: () => T): T {
    const from = this.read();
    try {
      return start();
    } finally {
      const to = this.read();
      if (to !== from) this.atOnce.push({ from, to });
    }
  }

  /** The revision to which the closures that start from now on have moved the domain, where only they changed it. */
  followFrom(before: Revision): () => Revision {
    const first = this.atOnce.length;
    return () => {
      const moves = this.atOnce.slice(first);
      return moves.reduce((own, { from, to }) => (from === own ? to : own), before);
    };
  }

  /**
   * Whether closures that waited explain all of a change: the domain is back at a revision of the call, or has moved as
   * far as the call had moved it.
   */
  explain({ from, to }: Move): boolean {
    const { call } = this;
    if (to === call.from || to === call.to) return true;
    return isCount(call) && isCount({ from, to }) && distance({ from, to }) === distance(call);
  }
}

function isCount({ from, to }: Move): boolean {
  return typeof from === 'number' && typeof to === 'number';
}

function distance({ from, to }: Move): number {
  return Number(to) - Number(from);
}
