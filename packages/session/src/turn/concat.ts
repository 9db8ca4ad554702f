import { Observable, Subscriber } from 'rxjs';

/**
 * Emits the facts of the stages in order. Each stage is subscribed to after the previous stage has completed and was torn down. RxJS's
 * `concat` does the same, but needs three subscribers and a list of waiting sources for each stage, and a round has dozens of stages.
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
