import type { Observer, Operator, Subscription } from 'rxjs';
import { Observable, Subscriber } from '../operations/observable.js';
import type { Operation } from '../operations/operation.js';

/**
 * An observable whose subscribers may throw, also through operators. The error is reported to the port `reportError`. RxJS would throw the
 * error in a timer, which ends a process on a server. Other subscribers are not affected.
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
    // Operators subscribe with RxJS subscribers, which pass errors on.
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

/** Returns true for a subscriber of any copy of RxJS: the app may use operators from another copy than this file. */
function isSubscriber<T>(value: unknown): value is Subscriber<T> {
  if (value instanceof Subscriber) return true;
  return ['add', 'remove', 'unsubscribe', 'next'].every(
    (name) => typeof (value as Record<string, unknown> | null | undefined)?.[name] === 'function',
  );
}

/** A subscriber, and the sequence number of the last operation that waited for its delivery when the subscriber subscribed. */
interface Reader {
  readonly subscriber: Subscriber<Operation>;
  readonly since: number;
}

/** Delivers the operations of a session to all subscribers in the same order. */
export class OperationStream {
  readonly operations$: Observable<Operation>;
  // A list and not a `Subject`, which would add a third to the RxJS code that a page loads.
  /** null after the stream has completed. */
  private readers: readonly Reader[] | null = [];
  private readonly queue: Operation[] = [];
  private delivering = false;

  constructor(reportError: (error: unknown) => void) {
    this.operations$ = new SafeObservable((subscriber) => {
      if (this.readers === null) return subscriber.complete();
      const reader = { subscriber, since: this.queue.at(-1)?.sequence ?? 0 };
      this.readers = [...this.readers, reader];
      return () => {
        if (this.readers) this.readers = this.readers.filter((other) => other !== reader);
      };
    }, reportError);
  }

  get isComplete(): boolean {
    return this.readers === null;
  }

  get isRead(): boolean {
    return (this.readers?.length ?? 0) > 0;
  }

  /** Puts an operation that was just folded into the queue; `deliver` delivers it. */
  enqueue(operation: Operation): void {
    if (this.isRead) this.queue.push(operation);
  }

  /**
   * Delivers the queued operations. If a subscriber causes an operation, it is queued and delivered after all subscribers received the
   * current operation. A subscriber receives the operations that were folded after it subscribed, even if it subscribes during a delivery.
   */
  deliver(): void {
    if (this.delivering || this.queue.length === 0) return;
    this.delivering = true;
    try {
      for (let operation = this.queue.shift(); operation; operation = this.queue.shift())
        for (const { subscriber, since } of this.readers ?? [])
          if (operation.sequence > since) subscriber.next(operation);
    } finally {
      this.delivering = false;
    }
  }

  /**
   * Completes the stream for all current and later subscribers.
   *
   * @param before called when the stream is complete, before its subscribers learn it
   */
  complete(before = () => {}): void {
    const readers = this.readers ?? [];
    this.readers = null;
    before();
    for (const { subscriber } of readers) subscriber.complete();
  }
}
