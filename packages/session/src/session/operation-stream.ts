import type { Observer, Operator, Subscription } from 'rxjs';
import { Observable, Subscriber } from '../operations/observable.js';
import type { Operation } from '../operations/operation.js';

/**
 * An observable whose subscribers may throw, behind operators too. The error is reported to the port `reportError`; RxJS would throw
 * it in a timer, which ends a process on a server. Other subscribers are not affected.
 */
export class SafeObservable<T> extends Observable<T> {
  constructor(
    start: ((subscriber: Subscriber<T>) => Subscription | (() => void) | void) | undefined,
    private readonly reportError: (error: unknown) => void,
  ) {
    super(start);
  }

  /** RxJS calls this to create the observable of each operator. */
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
    // Operators subscribe with subscribers of RxJS, which pass errors on.
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

/** True for a subscriber of any copy of RxJS: the app's operators may be of another copy than this file. */
function isSubscriber<T>(value: unknown): value is Subscriber<T> {
  if (value instanceof Subscriber) return true;
  return ['add', 'remove', 'unsubscribe', 'next'].every(
    (name) => typeof (value as Record<string, unknown> | null | undefined)?.[name] === 'function',
  );
}

/** A subscriber, and the number of the last operation that was in the state when it subscribed. */
interface Reader {
  readonly subscriber: Subscriber<Operation>;
  readonly since: number;
}

/** The operations of a session, delivered in one order to all subscribers. */
export class OperationStream {
  readonly operations$: Observable<Operation>;
  // A list instead of a `Subject`, which would add a third to the code of RxJS that a page loads.
  private readers: readonly Reader[] = [];
  private readonly queue: Operation[] = [];
  private delivering = false;
  private completed = false;

  /** Returns the number of the last operation that was folded. */
  sequence: () => number = () => 0;

  constructor(reportError: (error: unknown) => void) {
    this.operations$ = new SafeObservable((subscriber) => {
      if (this.completed) return subscriber.complete();
      const reader = { subscriber, since: this.sequence() };
      this.readers = [...this.readers, reader];
      return () => {
        this.readers = this.readers.filter((other) => other !== reader);
      };
    }, reportError);
  }

  get isRead(): boolean {
    return this.readers.length > 0;
  }

  /** Puts an operation that was just folded into the queue; `deliver` delivers it. */
  enqueue(operation: Operation): void {
    if (this.isRead) this.queue.push(operation);
  }

  /**
   * Delivers the queued operations. There is one queue, so that an operation which a subscriber causes is delivered after all
   * subscribers got the current one. A subscriber gets the operations that were folded after it subscribed, also when it subscribes
   * during a delivery.
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

  /** Completes the stream for all subscribers, also for later ones. */
  complete(): void {
    this.completed = true;
    for (const { subscriber } of this.readers) subscriber.complete();
  }
}
