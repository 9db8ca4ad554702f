import type { Observer, Subscription } from 'rxjs';
import { Observable, Subscriber } from '../operations/observable.js';
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

/** The operations of a session, delivered in one order to everybody. */
export class OperationStream {
  readonly operations$: Observable<Operation>;
  // By hand instead of a Subject: a third of what the page loads of RxJS would be there for this one.
  private subscribers: readonly Subscriber<Operation>[] = [];
  private readonly queue: Operation[] = [];
  private delivering = false;
  private completed = false;

  constructor(reportError: (error: unknown) => void) {
    this.operations$ = new SafeObservable((subscriber) => {
      if (this.completed) return subscriber.complete();
      this.subscribers = [...this.subscribers, subscriber];
      return () => {
        this.subscribers = this.subscribers.filter((other) => other !== subscriber);
      };
    }, reportError);
  }

  /** Puts an operation into the queue; `deliver` hands it out. */
  enqueue(operation: Operation): void {
    if (this.subscribers.length > 0) this.queue.push(operation);
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
        for (const subscriber of this.subscribers) subscriber.next(operation);
    } finally {
      this.delivering = false;
    }
  }

  complete(): void {
    this.completed = true;
    for (const subscriber of this.subscribers) subscriber.complete();
  }
}
