import type { Revision } from '../tools/tool.js';
import { afterReturn, summaryOf, type RevisionNotes } from '../state/revision-notes.js';
import type { Revisions } from '../undo/revisions.js';

/** Reads the revisions of the domains in a turn: those of now from the app, those of the turn from the notes of the fold. */
export class TurnRevisions {
  /** The revision of each domain when the last executor of one of its calls returned. */
  private readonly lastReturned = new Map<string, Revision>();
  /** The domains of the calls whose executor has returned, by the ids of the calls. */
  private readonly returnedCalls = new Map<string, string>();

  constructor(
    /** Reads the revisions of all domains. */
    readonly now: () => Revisions,
    private readonly notes: () => RevisionNotes | null,
  ) {}

  /** Returns the revision that an executor gets: the one that the model has read. */
  of(domain: string): Revision {
    return this.notes()?.readByModel[domain];
  }

  /** Returns the revisions before the turn's first request. */
  get start(): Revisions {
    return this.notes()?.start ?? {};
  }

  /** Is called when an executor has returned. */
  returned(callId: string, domain: string, revision: Revision): void {
    this.lastReturned.set(domain, revision);
    this.returnedCalls.set(callId, domain);
  }

  /**
   * Returns the revision for the fact of a call whose executor has returned: between the two, the history may record the effect, and
   * a call beside it may return.
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

  /** Returns the notes with the calls that have returned and have no fact yet: the history may not have answered. */
  private withReturned(): RevisionNotes | null {
    let notes = this.notes();
    for (const [callId, domain] of this.returnedCalls)
      notes &&= afterReturn(notes, callId, domain, this.latest(domain));
    return notes;
  }
}
