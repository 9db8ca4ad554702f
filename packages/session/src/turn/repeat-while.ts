import { Observable, type MonoTypeOperatorFunction } from 'rxjs';

/**
 * Subscribes to the source again each time it completes, as long as `again` returns true. A loop: a source that completes at
 * once never nests, however often it is repeated. RxJS has `repeat`, which brings its schedulers and timers along.
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
                if (!isSubscribing) goOn();
              },
            }),
          );
        } while (isComplete && !subscriber.closed && again());
        isSubscribing = false;
        if (isComplete) subscriber.complete();
      };
      const goOn = () => (again() ? run() : subscriber.complete());
      run();
    });
}
