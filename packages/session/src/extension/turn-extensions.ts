import { defined } from '@banister/provider/internal/json/defined';
import { Observable } from 'rxjs';
import type { RespondOutcome } from '../guards/decision.js';
import { givenLimit, tripError, type Trip } from '../limits/trip.js';
import type { ExtensionRefused, ExtensionRequest } from './extension-operations.js';
import type { TurnFact } from '../operations/operation.js';
import type { Turn } from '../turn/turn-context.js';
import type { Extensions } from '../turn/turn-parts.js';
import { readExtension } from './read-extension.js';

/** Returns the extensions of a turn. */
export function extensionsOf(turn: Turn): Extensions {
  return new TurnExtensions(turn);
}

/** The open request. */
interface OpenRequest {
  readonly request: ExtensionRequest;
  /** Stops the timer, and takes the request from the desk. */
  readonly close: () => void;
  /** Lets the clocks of the turn go on. */
  readonly release: () => void;
}

/**
 * Asks the user for more of a limit, one request at a time. While a request is open, the clocks of the turn stand still, running steps go
 * on, and steps that have not started wait.
 */
class TurnExtensions implements Extensions {
  private open: OpenRequest | null = null;
  /** The steps that wait for the answer. */
  private readonly waiting = new Set<() => void>();
  private end: (error: unknown) => void = () => {};

  constructor(private readonly turn: Turn) {}

  started(end: (error: unknown) => void): () => void {
    this.end = end;
    const forget = this.turn.cancellation.onCancelled(() => this.refuse('cancelled'));
    const { pendingExtension } = this.turn.current();
    if (pendingExtension !== null && this.turn.cancellation.level === null) this.ask(pendingExtension);
    return () => {
      forget();
      this.end = () => {};
      // The stage that ends the turn closes the request.
      this.open?.close();
    };
  }

  tripped(trip: Trip): void {
    const { cancellation, ports, settings } = this.turn;
    // After a cancel the user is not asked: a tool that is still running is aborted, as without extensions.
    if (cancellation.level !== null) return this.end(tripError(trip));
    if (this.open !== null) return;
    const { limit, spent, allowed, currency } = trip;
    const id = ports.ids.next('extension');
    // For a limit of 0, an extension by 1 is suggested.
    const suggested = givenLimit(settings.limits, limit) || 1;
    this.ask(defined({ id, limit, spent, allowed, suggested, currency }));
  }

  permitted(trip: () => Trip | null): Observable<never> {
    return new Observable<never>((subscriber) => {
      const goOn = (): void => {
        while (this.open === null && !subscriber.closed && this.turn.cancellation.level === null) {
          const next = trip();
          if (next === null) return subscriber.complete();
          this.tripped(next);
        }
        if (!subscriber.closed) this.waiting.add(goOn);
      };
      subscriber.add(() => this.waiting.delete(goOn));
      goOn();
    }).pipe(this.turn.cancellation.untilCancelled());
  }

  waits(trip: Trip | null): boolean {
    return this.turn.cancellation.level === null && (this.open !== null || trip !== null);
  }

  private respond(open: OpenRequest, decision: unknown): RespondOutcome {
    const amount = readExtension(decision, open.request);
    if (amount === 'end') this.refuse('ended');
    else if (typeof amount === 'number') this.extend(open, amount);
    else return { errors: amount };
    return 'accepted';
  }

  private ask(asked: Omit<ExtensionRequest, 'expiresAt'>): void {
    const { time, ports, settings, spending, journal, host } = this.turn;
    const { confirmationTimeoutMs: timeoutMs } = settings.limits;
    const isTimed = timeoutMs !== Infinity;
    const holds = [time.timeoutMs.hold(), time.maxThinkingMs.hold()];
    const request = { ...asked, expiresAt: isTimed ? ports.clock.now() + timeoutMs : null };
    const stopTimer = isTimed ? ports.clock.schedule(() => this.refuse('timed-out'), timeoutMs) : null;
    const open: OpenRequest = {
      request,
      close: () => {
        this.open = null;
        stopTimer?.();
        host.desk.open.delete(asked.id);
      },
      release: () => holds.forEach((release) => release()),
    };
    this.open = open;
    host.desk.open.set(asked.id, { respond: (decision) => this.respond(open, decision) });
    this.emit({ type: 'extensionRequested', request, budget: spending.budget() });
    // Other pages show the request after it was written. If the write is refused, the turn ends.
    if (this.open === open) journal.barrier()?.catch((error: unknown) => this.end(error));
  }

  private extend({ request, close, release }: OpenRequest, amount: number): void {
    const { id: requestId, limit, spent } = request;
    const allowed = Math.max(request.allowed, spent) + amount;
    close();
    if (limit === 'timeoutMs' || limit === 'maxThinkingMs') this.turn.time[limit].allowed = allowed;
    this.emit({ type: 'extensionResolved', requestId, limit, decision: 'extended', amount, allowed });
    release();
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const goOn of waiting) goOn();
  }

  /**
   * Closes the request. The clocks of the turn stand still until its end, unless the turn was cancelled and its time is not used up; then
   * running calls may finish.
   */
  private refuse(decision: ExtensionRefused['decision']): void {
    const { open } = this;
    if (open === null) return;
    const { request } = open;
    const { id: requestId, limit } = request;
    open.close();
    this.emit({ type: 'extensionResolved', requestId, limit, decision });
    if (decision !== 'cancelled') this.end(tripError(request));
    else if (!(limit in this.turn.time)) open.release();
  }

  private emit(fact: TurnFact): void {
    this.turn.sink.emit(fact);
  }
}
