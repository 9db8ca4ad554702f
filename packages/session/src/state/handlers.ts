import type { ConfirmationOperation } from '../operations/confirmation-operations.js';
import type { ModelOperation } from '../operations/model-operations.js';
import type { Operation, OperationOf, OperationType } from '../operations/operation.js';
import type { ToolOperation } from '../operations/tool-operations.js';
import type { Change, Path } from './change.js';
import type { FoldState } from './session-state.js';

/** How one type of operation changes the state. */
export type Handler<T extends OperationType> = (
  state: FoldState,
  operation: OperationOf<T>,
) => readonly Change[];

/** Handlers of a family. */
export type Handlers<T extends OperationType> = { readonly [K in T]: Handler<K> };

/** Operations in the rounds of a turn, beside those of calls and confirmations. */
export type RoundType =
  | 'schemaWarnings'
  | 'contextRefreshed'
  | 'roundStarted'
  | 'text'
  | 'thinking'
  | 'opaque'
  | 'usage'
  | 'roundCompleted';

/** Operations that only the code of turns makes. */
export type InnerType =
  RoundType | ModelOperation['type'] | ToolOperation['type'] | ConfirmationOperation['type'];

/** The changes that an operation makes. Pure; an operation of an unknown type, from a newer version, changes nothing. */
export function reduce(
  handlers: Partial<Handlers<OperationType>>,
  state: FoldState,
  operation: Operation,
): readonly Change[] {
  if (!Object.hasOwn(handlers, operation.type)) return [];
  const handler = handlers[operation.type] as (state: FoldState, operation: Operation) => readonly Change[];
  const changes = handler(state, operation);
  // A log that begins in the middle of a turn has no record for what is left of the turn.
  return state.liveTurn === null ? changes.filter(({ path }) => !isInsideRecord(path)) : changes;
}

function isInsideRecord(path: Path): boolean {
  return path[0] === 'liveTurn' && path.length > 1;
}
