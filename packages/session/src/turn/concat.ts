import { Observable, Subscriber } from 'rxjs';

/**
 * Emits the facts of one stage after the other; each is subscribed to when the one before it has completed and was torn down. Does the
 * same as `concat` of RxJS, which takes three subscribers and a list of waiting sources for each stage: a round has dozens of them.
 */
export function concat<T>(...sources: readonly Observable<T>[]): Observable<T> {
  return new Observable((subscriber) => {
    let next = 0;
    const run = (): void => {
      while (!subscriber.closed) {
        const source = sources[next++];
        if (source === undefined) return subscriber.complete();
        let isWhole = false;
        const inner = new Subscriber<T>({
          next: (value) => subscriber.next(value),
          error: (error: unknown) => subscriber.error(error),
          complete: () => void (isWhole = true),
        });
        subscriber.add(inner);
        source.subscribe(inner);
        if (!isWhole) return inner.add(() => isWhole && run());
      }
    };
    run();
  });
}
