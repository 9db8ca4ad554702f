import { AgentSessionError } from '../errors/agent-session-error.js';
import type { Observable } from '../operations/observable.js';
import { isTerminal, type Operation } from '../operations/operation.js';
import { untracked } from '../signals/signals-core.js';
import { SafeObservable } from './operation-stream.js';
import type { SessionCore } from './session-core.js';
import type { PreparedTurn, TurnRunner } from './turn-runner.js';

/**
 * Returns a turn as a cold stream of its operations. Subscribing starts it, unsubscribing aborts it. A second subscription errors
 * with `already-running`: a turn acts on the app, and the operators `retry` and `repeat` must not do that again.
 */
export function turnStream(
  core: SessionCore,
  runner: TurnRunner,
  prepare: () => PreparedTurn,
): Observable<Operation> {
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
        used = true;
        subscriber.add(
          core.stream.operations$.subscribe((operation) => {
            if (operation.turnId !== prepared.request.id) return;
            subscriber.next(operation);
            if (isTerminal(operation)) subscriber.complete();
          }),
        );
        subscriber.add(() => runner.abort(prepared.request.id));
        // A turn that another writer takes over has no terminal operation.
        runner.start(prepared).catch(() => subscriber.complete());
      });
    },
    (error) => core.reportError(error),
  );
}
