import type { ExtendableLimit, ExtensionRequest, OperationOf } from '@banister/session';
import type { Complain } from './round-order.js';

/** The rules for requests to extend a limit: one at a time, each resolved once. While a request is open, no step starts. */
export class ExtensionOrder {
  private open: ExtensionRequest | null = null;
  /** The extended limits, with all extensions included. */
  private readonly extended = new Map<ExtendableLimit, number>();
  /** Whether `ownerChanged` came after the request was opened. */
  private isInterrupted = false;

  /** @param limits the limits of `turnStarted`; undefined in the log of an earlier release */
  constructor(private readonly limits: Readonly<Record<string, unknown>> | undefined) {}

  /** Called after `ownerChanged`. */
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

  /** Called when a step of the turn, or its end, starts. */
  started(complain: Complain): void {
    if (this.open !== null) complain('the user is asked for more');
  }

  private given(limit: ExtendableLimit): unknown {
    const { session, ...limits } = this.limits ?? {};
    const together = session as Readonly<Record<string, unknown>> | undefined;
    return limit.startsWith('session.') ? together?.[limit.slice('session.'.length)] : limits[limit];
  }
}
