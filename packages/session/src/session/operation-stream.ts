import { Observable, Subject, Subscriber, type Observer, type Subscription } from 'rxjs';
import type { Operation } from '../operations/operation.js';

/**
 * An observable whose subscribers may throw: that harms nobody else, and goes to the error port instead of to a timer
 * that throws it into the page.
 */
export class SafeObservable<T> extends Observable<T> {
  constructor(
    start: (subscriber: Subscriber<T>) => Subscription | (() => void) | void,
    private readonly reportError: (error: unknown) => void,
  ) {
    super(start);
  }

  override subscribe(
    observerOrNext?: Partial<Observer<T>> | ((value: T) => void) | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    // Operators subscribe with subscribers of their own, which hand errors on to their subscribers.
    if (observerOrNext instanceof Subscriber) return super.subscribe(observerOrNext);
    const given: Partial<Observer<T>> =
      typeof observerOrNext === 'function' || !observerOrNext
        ? { next: observerOrNext ?? undefined, error: error ?? undefined, complete: complete ?? undefined }
        : observerOrNext;
    const guarded = (call: () => void) => {
      try {
        call();
      } catch (thrown) {
        this.reportError(thrown);
      }
    };
    return super.subscribe({
      next: (value) => guarded(() => given.next?.(value)),
      error: (reason: unknown) =>
        guarded(() => (given.error ? given.error(reason) : this.reportError(reason))),
      complete: () => guarded(() => given.complete?.()),
    });
  }
}

/** The operations of a session, delivered in one order to everybody. */
export class OperationStream {
  readonly operations$: Observable<Operation>;
  private readonly subject = new Subject<Operation>();
  private readonly queue: Operation[] = [];
  private delivering = false;

  constructor(reportError: (error: unknown) => void) {
    this.operations$ = new SafeObservable((subscriber) => this.subject.subscribe(subscriber), reportError);
  }

  /** Puts an operation into the queue; `deliver` hands it out. */
  enqueue(operation: Operation): void {
    if (this.subject.observed) this.queue.push(operation);
  }

  /**
   * Hands out what is queued. One queue for everybody: what a subscriber causes is delivered after the current operation
   * has reached the others.
   */
  deliver(): void {
    if (this.delivering || this.queue.length === 0) return;
    this.delivering = true;
    try {
      for (let operation = this.queue.shift(); operation; operation = this.queue.shift())
        this.subject.next(operation);
    } finally {
      this.delivering = false;
    }
  }

  complete(): void {
    this.subject.complete();
  }
}
