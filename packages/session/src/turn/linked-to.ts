import { Observable, type MonoTypeOperatorFunction, type Subscription } from 'rxjs';

/**
 * Ends the source when `parent` ends, from the moment on at which the source is subscribed: what `subscribe` returns could be
 * added to `parent` only after the first values of the source are out.
 */
export function linkedTo<T>(parent: Subscription): MonoTypeOperatorFunction<T> {
  // The source gets the subscriber itself, so that its values pass without a step in between.
  return (source) =>
    new Observable<T>((subscriber) => {
      parent.add(subscriber);
      source.subscribe(subscriber);
    });
}
