import { Observable, type Subscriber } from './observable.js';

/**
 * Returns the values that an async function emits. The observable completes when the function resolves, and errors when it rejects. It is
 * meant for work that handles one item at a time: a loop in such a function uses no stack, but thousands of concatenated observables nest
 * with each completion.
 *
 * @param run emits values; after each `await` it must return when `subscriber.closed`. It adds to the subscriber each resource that must
 *   end with the subscription, such as a timer
 */
export function fromAsync<T>(run: (subscriber: Subscriber<T>) => Promise<void>): Observable<T> {
  return new Observable((subscriber) => {
    const work = async () => {
      await run(subscriber);
      subscriber.complete();
    };
    work().catch((error: unknown) => subscriber.error(error));
  });
}
