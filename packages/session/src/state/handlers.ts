import type { Operation, OperationOf, OperationType } from '../operations/operation.js';
import type { Change, Path } from './change.js';
import type { FoldState } from './session-state.js';

/** Returns the changes that an operation of one type makes. Pure. */
type Handler<T extends OperationType> = (state: FoldState, operation: OperationOf<T>) => readonly Change[];

/** The handlers of several operation types, by type. */
type Handlers<T extends OperationType> = { readonly [K in T]: Handler<K> };

/** The handlers of all operation types. */
export type AllHandlers = Handlers<OperationType>;

/** Returns the changes that an operation makes. Pure. An operation of an unknown type, from a newer release, makes no changes. */
export function reduce(handlers: AllHandlers, state: FoldState, operation: Operation): readonly Change[] {
  if (!Object.hasOwn(handlers, operation.type)) return [];
  const handler = handlers[operation.type] as (state: FoldState, operation: Operation) => readonly Change[];
  const changes = handler(state, operation);
  // If a log begins in the middle of a turn, it has no `turnStarted`, and so no record that the operations could change.
  return state.liveTurn === null ? changes.filter(({ path }) => !isInsideRecord(path)) : changes;
}

function isInsideRecord(path: Path): boolean {
  return path[0] === 'liveTurn' && path.length > 1;
}
