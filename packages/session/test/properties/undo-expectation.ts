import type { Operation, UndoReport } from '@banister/session';

interface ExpectedTurn {
  readonly turnId: string;
  /** The domains in which its tools ran. */
  readonly domains: ReadonlySet<string>;
  /** Whether the user changed one of them since the last step of this turn; undefined where a late tool may have changed it. */
  changed: boolean | undefined;
}

/** Whether something of a turn may be in effect although it was rolled back. */
function isOpen({ failed, unknown }: UndoReport): boolean {
  return failed.length > 0 || unknown.length > 0;
}

function meet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].some((domain) => other.has(domain));
}

/** A plain model of the undo stack: which answer undo and redo must give, from the operations and the user's edits. */
export class UndoExpectation {
  private readonly done: ExpectedTurn[] = [];
  private undone: ExpectedTurn[] = [];
  /** Domains that the user changed during the running turn. */
  private changedInTurn = new Set<string>();
  /** Domains in which tools of the running turn ran. */
  private touchedInTurn = new Set<string>();
  private blurredInTurn = false;
  /** Domains that the user changed since the last undo or redo began, which may have read the revision before or after. */
  private changedInStep = new Set<string>();
  /** Whether a tool that was cut acted since then. */
  private blurredInStep = false;
  private running = false;
  /** False once a turn was undone for good: this model leaves open whether newer ones can be redone without it. */
  private isRedoOpen = true;

  follow(operation: Operation): void {
    switch (operation.type) {
      case 'turnStarted':
        this.undone = [];
        this.isRedoOpen = true;
        this.running = true;
        this.changedInTurn = new Set();
        this.touchedInTurn = new Set();
        this.blurredInTurn = false;
        return;
      case 'toolStarted':
        if (!operation.tool.endsWith('.look')) this.touchedInTurn.add(operation.tool.split('.')[0]!);
        return;
      case 'committed':
        // The model does not follow at which moment of the turn the user changed something: both answers are accepted.
        if (operation.undoable) {
          const domains = this.touchedInTurn;
          const blurred = this.blurredInTurn || meet(this.changedInTurn, domains);
          this.done.push({ turnId: operation.turnId, domains, changed: blurred ? undefined : false });
        }
        return;
      case 'rolledBack':
        if (this.blurredInTurn || this.changedInTurn.size > 0 || isOpen(operation.report)) this.blur();
        return;
      case 'completed':
      case 'stopped':
      case 'cancelled':
      case 'failed':
        this.running = false;
        return;
      case 'undoStarted':
      case 'redoStarted':
        this.changedInStep = new Set();
        this.blurredInStep = false;
        return;
      case 'undone': {
        const top = this.done.at(-1);
        if (top === undefined) return;
        top.changed = this.afterStep(top);
        if (this.undone.at(-1) === top) this.undone.pop();
        if (operation.report.failed.length > 0) return;
        this.done.pop();
        if (operation.redoable) this.undone.push(top);
        else this.isRedoOpen = false;
        return;
      }
      case 'redone': {
        const top = this.undone.at(-1);
        if (top === undefined) return;
        top.changed = this.afterStep(top);
        const { done, failed } = operation.report;
        // A turn whose redo failed can be tried again, one whose effects are there can be undone.
        if (failed.length === 0) this.undone.pop();
        if ((failed.length === 0 || done.length > 0) && this.done.at(-1) !== top) this.done.push(top);
        return;
      }
      default:
        return;
    }
  }

  /** @param isHidden whether the session counts the change as one of a tool or a revert that runs at the same time */
  userChanged(domain: string, isHidden: boolean): void {
    for (const turn of new Set([...this.done, ...this.undone]))
      if (!turn.domains.has(domain)) continue;
      else if (!isHidden) turn.changed = true;
      else if (turn.changed === false) turn.changed = undefined;
    if (this.running) this.changedInTurn.add(domain);
    this.changedInStep.add(domain);
  }

  /** Notes that a tool acted after it was cut: the records may follow or not. */
  blur(): void {
    for (const turn of [...this.done, ...this.undone]) turn.changed = undefined;
    this.blurredInTurn = this.blurredInStep = true;
  }

  private afterStep({ domains }: ExpectedTurn): false | undefined {
    return this.blurredInStep || meet(this.changedInStep, domains) ? undefined : false;
  }

  /** The code of the expected rejection, null for none, undefined where both are accepted. */
  rejectionOf(direction: 'undo' | 'redo', force: boolean): string | null | undefined {
    if (direction === 'redo' && !this.isRedoOpen) return undefined;
    const top = (direction === 'undo' ? this.done : this.undone).at(-1);
    if (top === undefined) return 'nothing-to-undo';
    if (force || top.changed === false) return null;
    return top.changed === true ? 'conflict' : undefined;
  }
}
