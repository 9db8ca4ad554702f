import type { OperationOf } from '@banister/session';
import type { Complain } from './round-order.js';

/** The operations of a review. */
export type ReviewType = 'reviewOpened' | 'rejectStarted' | 'reviewResolved';

/** The rules for the review of a turn: its effects are decided one after another, then the turn ends. */
export class ReviewOrder {
  /** Ids of the calls whose effects are not decided yet. */
  private readonly open = new Set<string>();
  /** Ids of all calls under review; null before the review. */
  private reviewed: Set<string> | null = null;
  /** Ids of the calls whose effects are being undone. */
  private rejecting: readonly string[] | null = null;

  /** Whether `ownerChanged` came after the review was opened. */
  private isInterrupted = false;

  /** @param isAskedFor whether the turn was sent with a review */
  constructor(private readonly isAskedFor: boolean) {}

  get isOpen(): boolean {
    return this.reviewed !== null;
  }

  /** Called after `ownerChanged`. */
  interrupted(): void {
    this.isInterrupted = true;
  }

  /** Called when the effect of a call that was cut is undone, because its tool has ended. */
  withdrawn(callId: string): void {
    this.open.delete(callId);
  }

  check(operation: OperationOf<ReviewType>, complain: Complain): void {
    switch (operation.type) {
      case 'reviewOpened':
        return this.opened(operation, complain);
      case 'rejectStarted':
        return this.rejectStarted(operation, complain);
      case 'reviewResolved':
        return this.resolved(operation, complain);
    }
  }

  /** Called when the turn commits. */
  committed({ ending }: OperationOf<'commitStarted'>, complain: Complain): void {
    const { kind } = ending;
    if (kind === 'interrupted' && !this.isOpen) complain('only the end of a review leaves effects there');
    if (this.rejecting !== null) complain('effects are being taken back');
    if (kind !== 'completed' && kind !== 'stopped') return;
    for (const id of this.open) complain(`the effect of call ${id} is not decided`);
  }

  private opened({ effects }: OperationOf<'reviewOpened'>, complain: Complain): void {
    if (!this.isAskedFor) complain('the turn is not reviewed');
    if (effects.length === 0) complain('no effects');
    const ids = effects.map(({ toolCallId }) => toolCallId);
    if (this.isOpen) this.openedAgain(ids, complain);
    this.reviewed ??= new Set();
    for (const id of ids) {
      this.open.add(id);
      this.reviewed.add(id);
    }
    for (const { dependents } of effects) this.known(dependents, complain);
  }

  private openedAgain(ids: readonly string[], complain: Complain): void {
    const added = ids.filter((id) => !this.open.has(id));
    // The effect of a call that was cut may arrive while other effects are decided.
    if (!this.isInterrupted && added.length === 0) complain('the review was opened before');
    this.isInterrupted = false;
    if (added.some((id) => this.reviewed?.has(id)) || ids.length - added.length !== this.open.size)
      complain('it lists other effects than those without a decision');
  }

  private rejectStarted({ ids }: OperationOf<'rejectStarted'>, complain: Complain): void {
    if (this.rejecting !== null) complain('other effects are being taken back');
    if (ids.length === 0) complain('no effects');
    this.known(ids, complain);
    this.rejecting = ids;
  }

  private resolved(operation: OperationOf<'reviewResolved'>, complain: Complain): void {
    if (operation.decision === 'accepted') {
      if (this.rejecting !== null) complain('effects are being taken back');
      for (const id of operation.ids)
        if (!this.open.delete(id)) complain(`the effect of call ${id} is not open`);
      return;
    }
    if (this.rejecting?.join() !== operation.ids.join()) complain('rejectStarted must come before it');
    this.rejecting = null;
    for (const { toolCallId } of operation.report.done) this.open.delete(toolCallId);
  }

  private known(ids: readonly string[], complain: Complain): void {
    for (const id of ids) if (!this.reviewed?.has(id)) complain(`the effect of call ${id} is not reviewed`);
  }
}
