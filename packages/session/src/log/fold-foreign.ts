import { isPaced, type Operation } from '../operations/operation.js';
import type { SessionCore } from '../session/session-core.js';

/** Folds, publishes and delivers operations of the session that owns the log. */
export function foldForeign(core: SessionCore, operations: readonly Operation[]): void {
  const { projection, stream, store } = core;
  const paced = operations.every(isPaced);
  projection.hold(paced);
  for (const operation of operations) {
    store.apply(operation);
    stream.enqueue(operation);
  }
  projection.publish(paced);
  stream.deliver();
}
