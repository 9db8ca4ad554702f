import type { ExtendableLimit, ExtensionRequest, OperationOf } from '@banister/session';
import type { Complain } from './round-order.js';

/** The order of the requests of a turn for more of a limit: one at a time, each settled once, and no step starts before. */
export class ExtensionOrder {
  private open: ExtensionRequest | null = null;
  /** The limits that were extended, with all extensions. */
  private readonly extended = new Map<ExtendableLimit, number>();
  /** Whether the log has another owner since the request was opened. */
  private isInterrupted = false;

  /** @param limits those of `turnStarted`; undefined in the log of an earlier release */
  constructor(private readonly limits: Readonly<Record<string, unknown>> | undefined) {}

  /** Is called when the log has another owner. */
  interrupted(): void {
    this.isInterrupted = this.open !== null;
  }

  requested({ request }: OperationOf<'extensionRequested'>, complain: Complain): void {
    const { id, limit, spent, allowed, suggested } = request;
    if (this.limits?.['onTrip'] !== 'ask') complain('the turn does not ask for more');
    if (this.open !== null && !(this.isInterrupted && this.open.id === id))
      complain(`request ${this.open.id} is open`);
    const permitted = this.extended.get(limit) ?? this.given(limit);
    if (allowed !== permitted) complain(`${limit} is ${permitted}, not ${allowed}`);
    if (spent < allowed) complain(`only ${spent} of ${allowed} are spent`);
    if (suggested <= 0) complain('it suggests nothing');
    this.open = request;
    this.isInterrupted = false;
  }

  resolved(operation: OperationOf<'extensionResolved'>, complain: Complain): void {
    const { requestId, limit } = operation;
    const { open } = this;
    this.open = null;
    if (open?.id !== requestId) return complain(`request ${requestId} is not open`);
    if (open.limit !== limit) complain(`the request is about ${open.limit}`);
    if (operation.decision !== 'extended') return;
    const { amount, allowed } = operation;
    if (amount <= 0) complain('it gives nothing');
    if (allowed !== Math.max(open.allowed, open.spent) + amount)
      complain(`${amount} more are not ${allowed}`);
    this.extended.set(limit, allowed);
  }

  /** Is called when a step of the turn starts, or its end. */
  started(complain: Complain): void {
    if (this.open !== null) complain('the user is asked for more');
  }

  private given(limit: ExtendableLimit): unknown {
    const { session, ...limits } = this.limits ?? {};
    const together = session as Readonly<Record<string, unknown>> | undefined;
    return limit.startsWith('session.') ? together?.[limit.slice('session.'.length)] : limits[limit];
  }
}
