import type { UndoReport } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { differing, pick, type Revisions } from './revisions.js';
import type { CommittedHandle } from './turn-transaction.js';

/** A committed turn that can be taken back. */
export interface UndoableTurn {
  readonly turnId: string;
  readonly handle: CommittedHandle;
  /** Domains that the turn changed. */
  readonly domains: readonly string[];
  /** Revisions before the turn; after an undo, those that the undo left. */
  before: Revisions;
  /** Revisions that the session last left behind: a difference to now means that the user changed something since. */
  after: Revisions;
}

/** What undo or redo did. */
export interface UndoStep {
  readonly turnId: string;
  readonly report: UndoReport;
  /** Whether the turn can be done again. */
  readonly redoable: boolean;
}

/**
 * The committed turns of a session, undone from the newest and redone from the oldest, like any undo stack; with one
 * difference: it knows when the user changed a domain since, and says so instead of undoing into their work.
 */
export class UndoStack {
  private readonly done: UndoableTurn[] = [];
  private readonly undone: UndoableTurn[] = [];

  constructor(private readonly readRevisions: () => Revisions) {}

  push(turn: UndoableTurn): void {
    // The turn moved its domains itself: records that knew the state before it know the state after it.
    for (const domain of turn.domains)
      advance(this.done, 'after', domain, turn.before[domain], turn.after[domain]);
    this.done.push(turn);
  }

  /** A new turn starts: what was undone before it cannot be done again. */
  clearRedo(): void {
    this.undone.length = 0;
  }

  next(direction: 'undo' | 'redo'): UndoableTurn | undefined {
    return (direction === 'undo' ? this.done : this.undone).at(-1);
  }

  /** Refuses with `conflict` when the user changed a domain of the turn since. */
  check(turn: UndoableTurn, direction: 'undo' | 'redo'): void {
    const changed = this.changedSince(turn, direction === 'undo' ? turn.after : turn.before);
    if (changed.length === 0) return;
    throw new AgentSessionError(
      'conflict',
      `${changed.join(', ')} changed since. ${direction === 'undo' ? 'Undoing' : 'Re-doing'} now could overwrite that.`,
      { details: { domains: [...changed] } },
    );
  }

  async undo(turn: UndoableTurn): Promise<UndoStep> {
    const from = this.readRevisions();
    const report = await turn.handle.revert(turn.after);
    const now = this.readRevisions();
    this.moved(from, now);
    // Partly undone: the turn stays on top, so that another undo can try the rest.
    if (report.failed.length > 0) {
      turn.after = pick(now, turn.domains);
      return { turnId: turn.turnId, report, redoable: false };
    }
    const redoable = turn.handle.reapply !== undefined;
    this.done.pop();
    turn.before = pick(now, turn.domains);
    if (redoable) this.undone.push(turn);
    // What comes after a turn that cannot be done again stands on a state that will not come back.
    else this.clearRedo();
    return { turnId: turn.turnId, report, redoable };
  }

  async redo(turn: UndoableTurn): Promise<UndoStep> {
    const from = this.readRevisions();
    const report = await turn.handle.reapply!(turn.before);
    const now = this.readRevisions();
    this.moved(from, now);
    this.undone.pop();
    turn.after = pick(now, turn.domains);
    this.done.push(turn);
    return { turnId: turn.turnId, report, redoable: false };
  }

  /** The session itself moved the domains from one reading to another: whoever was up to date before stays so. */
  moved(from: Revisions, to: Revisions): void {
    for (const domain of differing(from, to)) {
      advance(this.done, 'after', domain, from[domain], to[domain]);
      advance(this.undone, 'before', domain, from[domain], to[domain]);
    }
  }

  private changedSince(turn: UndoableTurn, expected: Revisions): readonly string[] {
    const changed = differing(expected, this.readRevisions());
    return turn.domains.filter((domain) => changed.includes(domain));
  }
}

function advance(
  turns: readonly UndoableTurn[],
  field: 'before' | 'after',
  domain: string,
  from: string | number | undefined,
  to: string | number | undefined,
): void {
  if (to === undefined) return;
  for (const turn of turns) {
    if (turn.domains.includes(domain) && turn[field][domain] === from)
      turn[field] = { ...turn[field], [domain]: to };
  }
}
