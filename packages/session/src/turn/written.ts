import { Observable } from 'rxjs';
import type { Turn } from './turn-context.js';

/**
 * Completes when the journal has every operation that was emitted so far: in the same moment where nothing has to be waited for.
 * Errors with `storage` when the write is refused. A stage puts it before the step that must not happen unrecorded.
 */
export function written({ journal }: Pick<Turn, 'journal'>): Observable<never> {
  return new Observable((subscriber) => {
    const writing = journal.barrier();
    if (writing === undefined) subscriber.complete();
    else
      writing.then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      );
  });
}
