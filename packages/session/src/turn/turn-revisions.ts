import type { Revision } from '../tools/tool.js';
import type { Move } from '../undo/call-changes.js';
import type { Revisions } from '../undo/revisions.js';

/** A running call that may change its domain. */
export interface TrackedCall {
  /**
   * Is called when the executor has returned: the revision counts as the turn's own. Returns the change since the call began.
   *
   * @param revision the revision that the call made. Default: the revision of the domain now
   */
  settled(revision?: Revision): Move;
  /**
   * Is called when the call is cut. A call that starts later does not count as running beside it, although its executor may
   * still run.
   */
  leave(): void;
}

/** Follows the revisions of the domains in a turn, and separates the turn's own changes from those of the user and the app. */
export class TurnRevisions {
  /** The revisions at the start of the turn. */
  readonly start: Revisions;
  /** The revisions that the model has read: read for each request, and updated by the turn's own calls only. */
  private expected: Revisions;
  /** The revisions after the last of the turn's own calls. */
  private left: Revisions;
  private readonly touched = new Set<string>();
  /** The running calls by domain; `expected`: the first began on the state that the model had read. */
  private readonly running = new Map<string, { calls: number; readonly expected: boolean }>();
  /** Domains in which the user, or the app, changed something while the turn ran. */
  private readonly foreign = new Set<string>();

  constructor(private readonly read: () => Revisions) {
    this.start = this.expected = this.left = read();
  }

  /** Reads the revisions for a request to the model. */
  refresh(): void {
    this.expected = this.read();
  }

  /** Returns the revision that an executor gets. */
  of(domain: string): Revision {
    return this.expected[domain];
  }

  /** Is called when a call that may change the domain starts. Calls that run side by side count as one change of the turn's own. */
  track(domain: string): TrackedCall {
    const now = this.read()[domain];
    const change = this.running.get(domain) ?? { calls: 0, expected: now === this.expected[domain] };
    if (change.calls > 0) this.moveTo(domain, now, change.expected);
    else if (now !== this.left[domain]) this.foreign.add(domain);
    change.calls++;
    this.running.set(domain, change);
    this.touched.add(domain);
    let isRunning = true;
    const leave = () => {
      if (isRunning && --change.calls === 0) this.running.delete(domain);
      isRunning = false;
    };
    return {
      leave,
      settled: (to = this.read()[domain]) => {
        leave();
        this.moveTo(domain, to, change.expected);
        return { from: now, to };
      },
    };
  }

  /** Records a revision that the turn's own calls made. */
  private moveTo(domain: string, revision: Revision, expected: boolean): void {
    if (revision === undefined) return;
    this.left = { ...this.left, [domain]: revision };
    // After a call on a state that the model had not read, the next call still gets the revision that the model has read.
    if (expected) this.expected = { ...this.expected, [domain]: revision };
  }

  /** Returns the domains that the turn changed, and their revisions before and after, for the undo stack. */
  summary(): { readonly domains: readonly string[]; readonly before: Revisions; readonly after: Revisions } {
    const domains = [...this.touched];
    return {
      domains,
      before: this.select((domain) => !this.foreign.has(domain), this.start),
      after: this.select(() => true, this.left),
    };
  }

  /** Returns the domains that only this turn changed. */
  ownDomains(): readonly string[] {
    const now = this.read();
    return [...this.touched].filter(
      (domain) => !this.foreign.has(domain) && now[domain] === this.left[domain],
    );
  }

  private select(include: (domain: string) => boolean, revisions: Revisions): Revisions {
    return Object.fromEntries(
      Object.entries(revisions).filter(([domain]) => this.touched.has(domain) && include(domain)),
    );
  }
}
