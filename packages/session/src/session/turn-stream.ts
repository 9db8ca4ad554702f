import { AgentSessionError } from '../errors/agent-session-error.js';
import type { Observable } from '../operations/observable.js';
import { isTerminal, type Operation } from '../operations/operation.js';
import { untracked } from '../signals/signals-core.js';
import { SafeObservable } from './operation-stream.js';
import type { SessionCore } from './session-core.js';
import type { TurnResult } from './agent-session.js';
import type { PreparedTurn } from './prepared-turn.js';

/** The start of a turn, and its end before that of the model's answer. */
export interface TurnStarter {
  prepare(): PreparedTurn;
  start(turn: PreparedTurn): Promise<TurnResult>;
  /** @param id of the turn */
  abort(id: string): void;
}

/**
 * Returns a turn as a cold stream of its operations. Subscribing starts it, unsubscribing aborts it. A second subscription errors
 * with `already-running`: a turn acts on the app, and the operators `retry` and `repeat` must not do that again.
 */
export function turnStream(core: SessionCore, { prepare, start, abort }: TurnStarter): Observable<Operation> {
  let used = false;
  return new SafeObservable<Operation>(
    (subscriber) => {
      untracked(() => {
        if (used)
          throw new AgentSessionError(
            'already-running',
            'A turn$ runs once; call turn$ again for another turn.',
          );
        const prepared = prepare();
        const { id } = prepared.request;
        let hasBegun = false;
        used = true;
        subscriber.add(
          core.stream.operations$.subscribe((operation) => {
            if (operation.turnId !== id) return;
            hasBegun = true;
            subscriber.next(operation);
            if (isTerminal(operation)) subscriber.complete();
          }),
        );
        subscriber.add(() => abort(id));
        // A turn that another writer takes over has no terminal operation.
        start(prepared).catch((error: unknown) =>
          hasBegun ? subscriber.complete() : subscriber.error(error),
        );
      });
    },
    (error) => core.reportError(error),
  );
}
