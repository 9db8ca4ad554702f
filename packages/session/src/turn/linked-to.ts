import { Observable, type MonoTypeOperatorFunction, type Subscription } from 'rxjs';

/**
 * Unsubscribes from the source when `parent` is closed, even while the source emits inside `subscribe`. The subscription that `subscribe`
 * returns could be added to `parent` only after that.
 */
export function linkedTo<T>(parent: Subscription): MonoTypeOperatorFunction<T> {
  // The source gets the subscriber itself, so that its values do not pass through a further subscriber.
  return (source) =>
    new Observable<T>((subscriber) => {
      parent.add(subscriber);
      source.subscribe(subscriber);
    });
}
