import type { ToolOutcome } from '../tools/tool-outcome.js';
import type { Revision } from '../tools/tool.js';
import { succeeded } from './effect-step.js';
import type { Revisions } from './revisions.js';
import type { UndoClosure } from './undo-provider.js';

/** How far a call moved its domain: the revision that it found, and the one that it left. */
export interface CallMove {
  readonly from: Revision;
  readonly to: Revision;
}

/**
 * Tells the session's own changes from those of the user while a rollback, an undo, a redo or a late revert runs.
 *
 * A change that a step makes at once is its own. While a step waits, the user may edit the same domain. A change that is
 * seen only afterwards counts as the step's own where the step explains all of it: the domain is back at a revision of
 * the call, or has moved as far as the call had moved it. Any other change counts as the user's, so that the next undo
 * answers with a conflict instead of overwriting it.
 */
export class OwnChanges {
  /** The revisions as the session knows them: where a domain is at another one, the user changed it. */
  known: Revisions;

  /** @param left the revisions as the session last left them: what each step gets, moved on by the steps before it */
  constructor(
    private readonly read: () => Revisions,
    private left: Revisions,
  ) {
    this.known = read();
  }

  /** Starts work that runs steps. Everything that changes before it first waits is its own. */
  start<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    this.known = this.read();
    return running;
  }

  /** Runs one step, which gets the revision that the session left unless the user changed the domain since. */
  async step(step: UndoClosure, domain: string, call: CallMove): Promise<void | ToolOutcome> {
    const before = this.read()[domain];
    const isKnown = before === this.known[domain];
    const isLeft = before === this.left[domain];
    // An async function: a step that throws at once is handled as one that rejects.
    const running = (async () => step(this.left[domain]))();
    let own = this.read()[domain];
    try {
      const outcome = await running;
      const now = this.read()[domain];
      if (succeeded(outcome) && explains(call, before, now)) own = now;
      return outcome;
    } finally {
      if (own !== undefined) {
        if (isKnown) this.known = { ...this.known, [domain]: own };
        if (isLeft) this.left = { ...this.left, [domain]: own };
      }
    }
  }
}

function explains({ from, to }: CallMove, before: Revision, now: Revision): boolean {
  if (now === from || now === to) return true;
  const numbers = [from, to, before, now].filter((revision) => typeof revision === 'number');
  if (numbers.length < 4) return false;
  const [start, end, was, is] = numbers as [number, number, number, number];
  return is - was === end - start;
}
