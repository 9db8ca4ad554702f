import { Observable, type MonoTypeOperatorFunction } from 'rxjs';

/**
 * An operator that subscribes to its source again each time the source completes, while `again` returns true. It is a loop, so
 * that repetitions of a source that completes at once do not nest. `repeat` of RxJS would add its schedulers and timers to the code.
 */
export function repeatWhile<T>(again: () => boolean): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable<T>((subscriber) => {
      let isSubscribing = false;
      let isComplete = false;
      const run = () => {
        isSubscribing = true;
        do {
          isComplete = false;
          subscriber.add(
            source.subscribe({
              next: (value) => subscriber.next(value),
              error: (error: unknown) => subscriber.error(error),
              complete: () => {
                isComplete = true;
                if (!isSubscribing) continueOrComplete();
              },
            }),
          );
        } while (isComplete && !subscriber.closed && again());
        isSubscribing = false;
        if (isComplete) subscriber.complete();
      };
      const continueOrComplete = () => (again() ? run() : subscriber.complete());
      run();
    });
}
