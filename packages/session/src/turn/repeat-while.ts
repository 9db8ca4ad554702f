import { Observable, type MonoTypeOperatorFunction } from 'rxjs';

/**
 * An operator that subscribes to its source again each time the source completes, while `again` returns true. The source must complete
 * asynchronously, because otherwise the repetitions would nest. RxJS's `repeat` would add its schedulers and timers to the code.
 */
export function repeatWhile<T>(again: () => boolean): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable<T>((subscriber) => {
      const run = (): void => {
        subscriber.add(
          source.subscribe({
            next: (value) => subscriber.next(value),
            error: (error: unknown) => subscriber.error(error),
            complete: () => (again() ? run() : subscriber.complete()),
          }),
        );
      };
      run();
    });
}
