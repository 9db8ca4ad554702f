import type { Observable } from '../operations/observable.js';
import { isTerminal, type Operation } from '../operations/operation.js';
import { untracked } from '../signals/signals-core.js';
import { SafeObservable } from './operation-stream.js';
import { runsOnce } from './runs-once.js';
import type { SessionCore } from './session-core.js';
import type { TurnResult } from './agent-session.js';
import type { PreparedTurn } from './prepared-turn.js';

/** The functions with which `turnStream` starts and aborts a turn. */
interface TurnStarter {
  /** Checks the turn and prepares it. Returns a promise if files have to be read first. */
  prepare(): PreparedTurn | Promise<PreparedTurn>;
  start(turn: PreparedTurn): Promise<TurnResult>;
  /** Stops the reading of files. */
  leave(): void;
  /** @param id the id of the turn */
  abort(id: string): void;
}

/**
 * Returns a turn as a cold stream of its operations. Subscribing starts the turn, and unsubscribing aborts it. A second subscription errors
 * with `already-running`: a turn acts on the app, and the operators `retry` and `repeat` must not repeat its actions.
 */
export function turnStream(
  core: SessionCore,
  { prepare, start, leave, abort }: TurnStarter,
): Observable<Operation> {
  let used = false;
  return new SafeObservable<Operation>(
    (subscriber) => {
      untracked(() => {
        if (used) throw runsOnce();
        const begin = (turn: PreparedTurn) => {
          const { id } = turn.request;
          let hasBegun = false;
          subscriber.add(
            core.stream.operations$.subscribe((operation) => {
              if (operation.turnId !== id) return;
              hasBegun = true;
              subscriber.next(operation);
              // If a subscriber lets a turn go on that waits for its model, the end of this stream must not abort the turn.
              if (isTerminal(operation) || operation.type === 'turnPutDown') subscriber.complete();
            }),
          );
          const leaving = new AbortController();
          subscriber.add(() => {
            leaving.abort();
            abort(id);
          });
          // If another writer takes over the turn, the turn has no terminal operation here, so this completes the stream.
          start({ ...turn, left: leaving.signal }).catch((error: unknown) =>
            hasBegun ? subscriber.complete() : subscriber.error(error),
          );
        };
        const prepared = prepare();
        used = true;
        if (!(prepared instanceof Promise)) return begin(prepared);
        let isRead = false;
        subscriber.add(() => isRead || leave());
        const read = () => (isRead = true);
        prepared.then(read, read);
        prepared.then(
          (turn) => subscriber.closed || begin(turn),
          (error: unknown) => subscriber.error(error),
        );
      });
    },
    (error) => core.reportError(error),
  );
}
