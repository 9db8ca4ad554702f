import type { Revision } from '../tools/tool.js';
import type { RevisionChange } from '../undo/call-changes.js';
import type { Revisions } from '../undo/revisions.js';

/** A running call that may change its domain. */
export interface TrackedCall {
  /**
   * Is called when the executor has returned: the revision counts as the turn's own. Returns the change since the call began.
   *
   * @param revision the revision that the call made. Default: the revision of the domain now
   */
  finished(revision?: Revision): RevisionChange;
  /**
   * Is called when the call is cut. A call that starts later does not count as running beside it, although its executor may
   * still run.
   */
  cut(): void;
}

/** Follows the revisions of the domains in a turn, and separates the turn's own changes from those of the user and the app. */
export class TurnRevisions {
  /** The revisions at the start of the turn. */
  readonly start: Revisions;
  /** The revisions that the model has read: read for each request, and updated by the turn's own calls only. */
  private readByModel: Revisions;
  /** The revisions after the last of the turn's own calls. */
  private own: Revisions;
  private readonly touched = new Set<string>();
  /** The running calls by domain; `onReadState`: the first began on the state that the model had read. */
  private readonly running = new Map<string, { calls: number; readonly onReadState: boolean }>();
  /** Domains in which the user, or the app, changed something while the turn ran. */
  private readonly foreign = new Set<string>();

  constructor(private readonly read: () => Revisions) {
    this.start = this.readByModel = this.own = read();
  }

  /** Reads the revisions for a request to the model. */
  refresh(): void {
    this.readByModel = this.read();
  }

  /** Returns the revision that an executor gets. */
  of(domain: string): Revision {
    return this.readByModel[domain];
  }

  /** Is called when a call that may change the domain starts. Calls that run side by side count as one change of the turn's own. */
  track(domain: string): TrackedCall {
    const now = this.read()[domain];
    const change = this.running.get(domain) ?? { calls: 0, onReadState: now === this.readByModel[domain] };
    if (change.calls > 0) this.recordOwn(domain, now, change.onReadState);
    else if (now !== this.own[domain]) this.foreign.add(domain);
    change.calls++;
    this.running.set(domain, change);
    this.touched.add(domain);
    let isRunning = true;
    const cut = () => {
      if (isRunning && --change.calls === 0) this.running.delete(domain);
      isRunning = false;
    };
    return {
      cut,
      finished: (to = this.read()[domain]) => {
        cut();
        this.recordOwn(domain, to, change.onReadState);
        return { from: now, to };
      },
    };
  }

  /** Records a revision that the turn's own calls made. */
  private recordOwn(domain: string, revision: Revision, onReadState: boolean): void {
    if (revision === undefined) return;
    this.own = { ...this.own, [domain]: revision };
    // After a call on a state that the model had not read, the next call still gets the revision that the model has read.
    if (onReadState) this.readByModel = { ...this.readByModel, [domain]: revision };
  }

  /** Returns the domains that the turn changed, and their revisions before and after, for the undo stack. */
  summary(): { readonly domains: readonly string[]; readonly before: Revisions; readonly after: Revisions } {
    const domains = [...this.touched];
    return {
      domains,
      before: this.select((domain) => !this.foreign.has(domain), this.start),
      after: this.select(() => true, this.own),
    };
  }

  /** Returns the domains that only this turn changed. */
  ownDomains(): readonly string[] {
    const now = this.read();
    return [...this.touched].filter(
      (domain) => !this.foreign.has(domain) && now[domain] === this.own[domain],
    );
  }

  private select(include: (domain: string) => boolean, revisions: Revisions): Revisions {
    return Object.fromEntries(
      Object.entries(revisions).filter(([domain]) => this.touched.has(domain) && include(domain)),
    );
  }
}
