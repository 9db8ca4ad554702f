import type { TurnRecord, UndoReport } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { differing, pick, type Revisions } from './revisions.js';
import type { CommittedHandle, TakenBack } from './turn-transaction.js';

/** A committed turn that can be taken back. */
export interface UndoableTurn {
  readonly turnId: string;
  readonly handle: CommittedHandle;
  /** Ids of the domains that the turn changed. */
  readonly domains: readonly string[];
  /** Revisions before the turn; after an undo or a redo, those that it made. */
  before: Revisions;
  /** Revisions that the session last made: where the domain has another one now, the user changed it since. */
  after: Revisions;
}

/** The result of an undo or a redo. */
export interface UndoStep {
  readonly turnId: string;
  readonly report: UndoReport;
  /** Whether the turn can be redone. */
  readonly redoable: boolean;
}

/**
 * The committed turns of a session. The newest is undone first; the one that was undone last is redone first. `check` refuses to
 * overwrite a change that the user made since. A turn that was redone in part is on both sides: undo takes back the effects that
 * were made again, redo tries the rest.
 */
export class UndoStack {
  private readonly done: UndoableTurn[] = [];
  private readonly undone: UndoableTurn[] = [];

  constructor(private readonly readRevisions: () => Revisions) {}

  push(turn: UndoableTurn): void {
    // The session itself made this change: turns whose last revision is the one before it continue with the one after it.
    for (const domain of turn.domains)
      advance(this.done, 'after', domain, turn.before[domain], turn.after[domain]);
    this.done.push(turn);
  }

  /** Is called when a new turn starts: turns that were undone before it cannot be redone. */
  clearRedo(): void {
    this.undone.length = 0;
  }

  /** Returns the turn that the next undo or redo concerns. */
  next(direction: 'undo' | 'redo'): UndoableTurn | undefined {
    return (direction === 'undo' ? this.done : this.undone).at(-1);
  }

  /** Throws `conflict` when the user changed a domain of the turn since. */
  check(turn: UndoableTurn, direction: 'undo' | 'redo'): void {
    const changed = this.changedSince(turn, direction === 'undo' ? turn.after : turn.before);
    if (changed.length === 0) return;
    throw new AgentSessionError(
      'conflict',
      `${changed.join(', ')} changed since. ${direction === 'undo' ? 'Undoing' : 'Re-doing'} now could overwrite that.`,
      { details: { domains: [...changed] } },
    );
  }

  /** Takes the turn back. */
  async undo(turn: UndoableTurn): Promise<UndoStep> {
    const report = await this.run(turn, () => turn.handle.revert(turn.after));
    if (this.undone.at(-1) === turn) this.undone.pop();
    // After a partial undo the turn stays on top, so that the next undo tries the rest.
    if (report.failed.length > 0) return { turnId: turn.turnId, report, redoable: false };
    this.done.pop();
    const redoable = turn.handle.reapply !== undefined;
    if (redoable) this.undone.push(turn);
    // Turns after one that cannot be redone cannot be redone either: the state that they began with is lost.
    else this.clearRedo();
    return { turnId: turn.turnId, report, redoable };
  }

  /** Makes the effects of the turn again. */
  async redo(turn: UndoableTurn): Promise<UndoStep> {
    const report = await this.run(turn, () => turn.handle.reapply!(turn.before));
    const isWhole = report.failed.length === 0;
    const isThere = isWhole || report.done.length > 0;
    if (isWhole) this.undone.pop();
    if (isThere && this.done.at(-1) !== turn) this.done.push(turn);
    return { turnId: turn.turnId, report, redoable: !isWhole };
  }

  /** Returns the report of an undo or a redo that could not begin: every effect is as it was. */
  refused(effects: TurnRecord['effects'], { message }: AgentSessionError): UndoReport {
    const those = (irreversible: boolean) =>
      effects
        .filter((effect) => effect.irreversible === irreversible)
        .map(({ toolCallId, toolName, description }) => ({ toolCallId, toolName, description }));
    const failed = those(false).map((item) => ({ ...item, reason: message }));
    return { done: [], failed, irreversible: those(true), unknown: [] };
  }

  /** Is called when the session itself changed domains: turns whose revision was up to date continue with the new one. */
  rebase(from: Revisions, to: Revisions): void {
    for (const domain of differing(from, to)) {
      advance(this.done, 'after', domain, from[domain], to[domain]);
      advance(this.undone, 'before', domain, from[domain], to[domain]);
    }
  }

  /** Whether the turn is in effect and can be taken back, now or after newer ones. */
  has(turnId: string): boolean {
    return this.done.some((turn) => turn.turnId === turnId);
  }

  private async run(turn: UndoableTurn, step: () => Promise<TakenBack>): Promise<UndoReport> {
    const from = this.readRevisions();
    const { report, known } = await step();
    this.rebase(from, known);
    turn.before = turn.after = pick(known, turn.domains);
    return report;
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
