import type { Operation, OperationOf, OperationType } from '../operations/operation.js';
import type { Change } from './change.js';
import { confirmationHandlers } from './confirmation-handlers.js';
import { modelHandlers } from './model-handlers.js';
import { sessionHandlers } from './session-handlers.js';
import type { FoldState } from './session-state.js';
import { toolHandlers } from './tool-handlers.js';
import { turnHandlers } from './turn-handlers.js';

/** How one type of operation changes the state. */
export type Handler<T extends OperationType> = (
  state: FoldState,
  operation: OperationOf<T>,
) => readonly Change[];

/** Handlers of a family. */
export type Handlers<T extends OperationType> = { readonly [K in T]: Handler<K> };

/** Every operation has a handler: a missing one does not compile. */
const handlers: Handlers<OperationType> = {
  ...turnHandlers,
  ...modelHandlers,
  ...toolHandlers,
  ...confirmationHandlers,
  ...sessionHandlers,
};

/** What an operation changes. Pure; an operation of an unknown type, from a newer version, changes nothing. */
export function reduce(state: FoldState, operation: Operation): readonly Change[] {
  if (!Object.hasOwn(handlers, operation.type)) return [];
  const handler = handlers[operation.type] as (state: FoldState, operation: Operation) => readonly Change[];
  return handler(state, operation);
}
