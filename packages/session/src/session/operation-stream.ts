import type { Observer, Operator, Subscription } from 'rxjs';
import { Observable, Subscriber } from '../operations/observable.js';
import type { Operation } from '../operations/operation.js';

/**
 * An observable whose subscribers may throw, behind operators too. The error goes to the error port; without that RxJS
 * would throw it from a timer, which ends a process on a server. Other subscribers are not affected.
 */
export class SafeObservable<T> extends Observable<T> {
  constructor(
    start: ((subscriber: Subscriber<T>) => Subscription | (() => void) | void) | undefined,
    private readonly reportError: (error: unknown) => void,
  ) {
    super(start);
  }

  /** RxJS makes the observable behind each operator with this method. */
  override lift<R>(operator?: Operator<T, R>): Observable<R> {
    const lifted = new SafeObservable<R>(undefined, this.reportError);
    lifted.source = this;
    lifted.operator = operator;
    return lifted;
  }

  override subscribe(
    observerOrNext?: Partial<Observer<T>> | ((value: T) => void) | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    // Operators subscribe with subscribers of their own, which hand errors on to their subscribers.
    if (isSubscriber<T>(observerOrNext)) return super.subscribe(observerOrNext);
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

/** By its methods: the app's operators may come from another copy of RxJS than this file. */
function isSubscriber<T>(value: unknown): value is Subscriber<T> {
  if (value instanceof Subscriber) return true;
  const { add, remove, unsubscribe, next } = (value ?? {}) as Partial<Subscriber<T>>;
  return [add, remove, unsubscribe, next].every((method) => typeof method === 'function');
}

/** A subscriber, and the last operation that was in the state when it subscribed. */
interface Reader {
  readonly subscriber: Subscriber<Operation>;
  readonly since: number;
}

/** The operations of a session, delivered in one order to all subscribers. */
export class OperationStream {
  readonly operations$: Observable<Operation>;
  // By hand instead of a Subject: a third of what the page loads of RxJS would be there for this one.
  private readers: readonly Reader[] = [];
  private readonly queue: Operation[] = [];
  /** The sequence of the last operation that was folded. */
  private latest = 0;
  private delivering = false;
  private completed = false;

  constructor(reportError: (error: unknown) => void) {
    this.operations$ = new SafeObservable((subscriber) => {
      if (this.completed) return subscriber.complete();
      const reader = { subscriber, since: this.latest };
      this.readers = [...this.readers, reader];
      return () => {
        this.readers = this.readers.filter((other) => other !== reader);
      };
    }, reportError);
  }

  /** Puts an operation that was just folded into the queue; `deliver` hands it out. */
  enqueue(operation: Operation): void {
    this.latest = operation.sequence;
    if (this.readers.length > 0) this.queue.push(operation);
  }

  /**
   * Hands out what is queued: one queue, so that an operation which a subscriber causes is delivered after the current
   * one has reached all others. A subscriber gets the operations that were folded after it subscribed, wherever it did.
   */
  deliver(): void {
    if (this.delivering || this.queue.length === 0) return;
    this.delivering = true;
    try {
      for (let operation = this.queue.shift(); operation; operation = this.queue.shift())
        for (const { subscriber, since } of this.readers)
          if (operation.sequence > since) subscriber.next(operation);
    } finally {
      this.delivering = false;
    }
  }

  complete(): void {
    this.completed = true;
    for (const { subscriber } of this.readers) subscriber.complete();
  }
}
