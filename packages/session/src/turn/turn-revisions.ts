import type { Revision } from '../tools/tool.js';
import type { Move } from '../undo/call-changes.js';
import type { Revisions } from '../undo/revisions.js';

/** A call that may change a domain, from its start on. */
export interface TrackedCall {
  /**
   * It settled: the domain is now as the turn's own calls left it. Returns how far it moved since the call began.
   *
   * @param revision where the call left the domain. Default: where the domain is
   */
  settled(revision?: Revision): Move;
  /** It was cut. A call that starts now does not run beside it, although it may still be at work. */
  leave(): void;
}

/** The revisions of the domains as a turn knows them, and which of their changes are its own. */
export class TurnRevisions {
  /** As they were when the turn began. */
  readonly start: Revisions;
  /** As the model knows them: read for each request, moved on only by the turn's own calls. */
  private expected: Revisions;
  /** As the turn's own calls left them. */
  private left: Revisions;
  private readonly touched = new Set<string>();
  /** Domains in which calls run now; `expected`: they began on the state that the model knows. */
  private readonly running = new Map<string, { calls: number; readonly expected: boolean }>();
  /** Domains in which the user, or the app, changed something while the turn ran. */
  private readonly foreign = new Set<string>();

  constructor(private readonly read: () => Revisions) {
    this.start = this.expected = this.left = read();
  }

  /** The model is about to see the current state. */
  refresh(): void {
    this.expected = this.read();
  }

  /** The revision that an executor gets. */
  of(domain: string): Revision {
    return this.expected[domain];
  }

  /** A call that may change the domain starts. Calls that run side by side in it are one change of the turn's own. */
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

  /** The turn's own calls moved the domain on. */
  private moveTo(domain: string, revision: Revision, expected: boolean): void {
    if (revision === undefined) return;
    this.left = { ...this.left, [domain]: revision };
    // A call that ran on a state which the model did not know must not hide that from the next one.
    if (expected) this.expected = { ...this.expected, [domain]: revision };
  }

  /** For the undo record: the domains that the turn changed, and their revisions before and after. */
  summary(): { readonly domains: readonly string[]; readonly before: Revisions; readonly after: Revisions } {
    const domains = [...this.touched];
    return {
      domains,
      before: this.select((domain) => !this.foreign.has(domain), this.start),
      after: this.select(() => true, this.left),
    };
  }

  /** The domains that only this turn changed: what its rollback moves, the session's records may follow. */
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
