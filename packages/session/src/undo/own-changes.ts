import type { Revision } from '../tools/tool.js';
import type { ToolOutcome } from '../tools/tool-outcome.js';
import type { CallChanges, RevisionChange } from './call-changes.js';
import { succeeded } from './effect-step.js';
import type { Revisions } from './revisions.js';
import type { UndoClosure } from './undo-provider.js';

/**
 * Separates the session's own changes from changes of the user while a rollback, an undo, a redo or a late revert runs.
 *
 * A change that a step makes synchronously is its own. While a step waits, the user may edit the same domain. A change made during the wait
 * counts as the step's own only if the step explains the whole change. Any other change counts as the user's, so that the next undo rejects
 * with `conflict` and does not overwrite it.
 */
export class OwnChanges {
  /** The revisions after only the session's own changes. If a domain has another revision now, the user has changed it. */
  known: Revisions;
  private readonly lateChanges: (RevisionChange & { readonly domain: string })[] = [];
  /** Whether the rollback, undo or redo that ran the steps has ended. */
  isOver = false;

  /** @param expected the revisions after the session's last changes; each step updates them */
  constructor(
    private readonly read: () => Revisions,
    public expected: Revisions,
  ) {
    this.known = read();
  }

  /** Starts work that runs steps. The changes that the work makes synchronously count as its own. */
  start<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    this.known = this.read();
    return running;
  }

  /** Runs one step. The step gets the expected revision, with which it can detect an edit of the user. */
  async step(step: UndoClosure, domain: string, call: CallChanges): Promise<void | ToolOutcome> {
    const before = this.read()[domain];
    const isKnown = before === this.known[domain];
    const isExpected = before === this.expected[domain];
    const revisionNow = call.followFrom(before);
    const moved = this.movedFrom(domain);
    let isExplained = false;
    try {
      const outcome = await step(this.expected[domain]);
      isExplained = succeeded(outcome) && call.explain({ from: moved(before), to: this.read()[domain] });
      return outcome;
    } finally {
      const own = isExplained ? this.read()[domain] : moved(revisionNow());
      if (own !== undefined) {
        if (isKnown) this.known = { ...this.known, [domain]: own };
        if (isExpected) this.expected = { ...this.expected, [domain]: own };
      }
    }
  }

  /** Returns a function that applies to a revision the changes of steps that end late, from now on. */
  private movedFrom(domain: string): (revision: Revision) => Revision {
    const first = this.lateChanges.length;
    return (revision) =>
      this.lateChanges
        .slice(first)
        .reduce((own, one) => (one.domain === domain && one.from === own ? one.to : own), revision);
  }

  /**
   * If a step that ended late explains the whole change of a domain, records the change as its own and returns it; otherwise returns
   * undefined.
   */
  lateChange(domain: string, call: CallChanges): RevisionChange | undefined {
    const change = { from: this.known[domain], to: this.read()[domain] };
    if (change.to === undefined || change.from === change.to || !call.explain(change)) return undefined;
    if (this.expected[domain] === change.from) this.expected = { ...this.expected, [domain]: change.to };
    this.known = { ...this.known, [domain]: change.to };
    this.lateChanges.push({ domain, ...change });
    return change;
  }
}
