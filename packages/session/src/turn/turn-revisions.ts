import type { Revision } from '../tools/tool.js';
import type { Move } from '../undo/call-changes.js';
import type { Revisions } from '../undo/revisions.js';

/** What a turn knows of the revisions of the domains, and which of their changes are its own. */
export class TurnRevisions {
  /** As they were when the turn began. */
  readonly start: Revisions;
  /** As the model knows them: read for each request, moved on only by the turn's own calls. */
  private expected: Revisions;
  /** As the turn's own calls left them. */
  private left: Revisions;
  private readonly touched = new Set<string>();
  /** Domains in which somebody else changed something while the turn ran. */
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

  /** A call that may change the domain starts. The function that it returns is called when the call has settled. */
  track(domain: string): () => Move {
    const now = this.read()[domain];
    const current = now === this.expected[domain];
    this.touched.add(domain);
    if (now !== this.left[domain]) this.foreign.add(domain);
    return () => {
      const after = this.read()[domain];
      if (after === undefined) return { from: now, to: after };
      this.left = { ...this.left, [domain]: after };
      // A call that ran on a state which the model did not know must not hide that from the next one.
      if (current) this.expected = { ...this.expected, [domain]: after };
      return { from: now, to: after };
    };
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
