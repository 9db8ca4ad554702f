import { Observable } from 'rxjs';
import type { Turn } from './turn-context.js';

/**
 * Completes when the journal has stored every operation that was emitted until now. If nothing has to be awaited, completes synchronously.
 * Errors with `storage` if the write is refused. A stage puts it before a step that must not happen unrecorded.
 */
export function written({ journal }: Pick<Turn, 'journal'>): Observable<never> {
  return awaited(() => journal.barrier());
}

/** Completes when a rollback may begin, see `TurnJournal.recorded`. */
export function recorded({ journal }: Pick<Turn, 'journal'>): Observable<never> {
  return awaited(() => journal.recorded());
}

function awaited(wait: () => void | Promise<void>): Observable<never> {
  return new Observable((subscriber) => {
    const writing = wait();
    if (writing === undefined) subscriber.complete();
    else
      writing.then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      );
  });
}
