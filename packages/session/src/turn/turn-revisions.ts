import type { Revision } from '../tools/tool.js';
import { afterReturn, summaryOf, type RevisionNotes } from '../state/revision-notes.js';
import type { Revisions } from '../undo/revisions.js';

/**
 * Reads the revisions of the domains for a turn: the current revisions from the app, and the revisions of the turn from the notes of the
 * fold.
 */
export class TurnRevisions {
  /** For each domain, its revision when the executor of one of its calls last returned. */
  private readonly lastReturned = new Map<string, Revision>();
  /** The domains of the calls whose executors have returned, by call id. */
  private readonly returnedCalls = new Map<string, string>();

  constructor(
    /** Reads the revisions of all domains. */
    readonly now: () => Revisions,
    private readonly notes: () => RevisionNotes | null,
  ) {}

  /** Returns the revision for an executor: the revision that the model has read. */
  of(domain: string): Revision {
    return this.notes()?.readByModel[domain];
  }

  /** Returns the revisions before the turn's first request. */
  get start(): Revisions {
    return this.notes()?.start ?? {};
  }

  /** Called when an executor has returned. */
  returned(callId: string, domain: string, revision: Revision): void {
    this.lastReturned.set(domain, revision);
    this.returnedCalls.set(callId, domain);
  }

  /**
   * Returns the revision for the fact of a call whose executor has returned. It is stored at the return, because before the fact the
   * history may record the effect, and another call may return.
   */
  latest(domain: string): Revision {
    return this.lastReturned.get(domain);
  }

  /** Returns the domains that the turn changed, and their revisions before and after. */
  summary(): { readonly domains: readonly string[]; readonly before: Revisions; readonly after: Revisions } {
    return summaryOf(this.withReturned());
  }

  /** Returns the domains that only this turn changed. */
  ownDomains(): readonly string[] {
    const notes = this.withReturned();
    const now = this.now();
    return notes
      ? notes.touched.filter((domain) => !notes.foreign.includes(domain) && now[domain] === notes.own[domain])
      : [];
  }

  /** Returns the notes including the calls that have returned but have no fact yet, for example because the history has not answered. */
  private withReturned(): RevisionNotes | null {
    let notes = this.notes();
    for (const [callId, domain] of this.returnedCalls)
      notes &&= afterReturn(notes, callId, domain, this.latest(domain));
    return notes;
  }
}
