import type { ConfirmationOperation } from '../operations/confirmation-operations.js';
import type { ConsentOperation } from '../operations/consent-operations.js';
import type { ExtensionOperation } from '../operations/extension-operations.js';
import type { MiddlewareOperation } from '../operations/middleware-operations.js';
import type { ModelOperation } from '../operations/model-operations.js';
import type { QueueOperation } from '../operations/queue-operations.js';
import type { ReviewOperation } from '../operations/review-operations.js';
import type { Operation, OperationOf, OperationType } from '../operations/operation.js';
import type { StructuredOperation } from '../operations/structured-operations.js';
import type { ToolOperation } from '../operations/tool-operations.js';
import type { Change, Path } from './change.js';
import type { FoldState } from './session-state.js';

/** Returns the changes that an operation of one type makes. Pure. */
export type Handler<T extends OperationType> = (
  state: FoldState,
  operation: OperationOf<T>,
) => readonly Change[];

/** The handlers of several types, by type. */
export type Handlers<T extends OperationType> = { readonly [K in T]: Handler<K> };

/** The types that occur in the rounds of a turn, without those of model calls, tool calls and confirmations. */
export type RoundType =
  | 'schemaWarnings'
  | 'contextRefreshed'
  | 'roundStarted'
  | 'text'
  | 'thinking'
  | 'opaque'
  | 'usage'
  | 'roundCompleted';

/** The types about effects, undo and redo, whose handlers are loaded with `turn/`: nothing is undone before. */
export type UndoType =
  | 'effectRecorded'
  | 'effectReverted'
  | 'effectReapplied'
  | 'undoStarted'
  | 'redoStarted'
  | 'undone'
  | 'redone'
  | 'domainTouched'
  | 'lateToolSettled';

/** The types of the commit and of the rollback of effects. */
export type EffectType = 'committed' | 'rolledBack';

/** The types of the ends that set a turn of `generate` aside. The code of turns is loaded before such a turn begins. */
export type SettingAside = 'cancelled' | 'failed';

/** The types of moves of the head. */
export type HeadType = 'headMoved' | 'pathCleared' | 'conversationReplaced';

/** The types about marks at which the conversation was compacted. */
export type CompactionType = 'contextCompacted' | 'contextUncompacted';

/** The types about messages that wait for a turn, whose handlers are loaded with `turn/`: no message waits before. */
export type QueueType = QueueOperation['type'] | 'steered';

/** The types that only `turn/` emits, whose handlers are loaded with it. */
export type LazyType =
  | 'ownerChanged'
  | 'turnResumed'
  | RoundType
  | ModelOperation['type']
  | MiddlewareOperation['type']
  | StructuredOperation['type']
  | ReviewOperation['type']
  | ExtensionOperation['type']
  | 'domainsActivated'
  | ToolOperation['type']
  | ConfirmationOperation['type']
  | ConsentOperation['type']
  | UndoType
  | EffectType
  | SettingAside
  | HeadType
  | CompactionType
  | QueueType;

/** Returns the changes that an operation makes. Pure. An operation of an unknown type, from a newer release, makes none. */
export function reduce(
  handlers: Partial<Handlers<OperationType>>,
  state: FoldState,
  operation: Operation,
): readonly Change[] {
  if (!Object.hasOwn(handlers, operation.type)) return [];
  const handler = handlers[operation.type] as (state: FoldState, operation: Operation) => readonly Change[];
  const changes = handler(state, operation);
  // A log that begins in the middle of a turn has no `turnStarted`, and so no record that the rest could change.
  return state.liveTurn === null ? changes.filter(({ path }) => !isInsideRecord(path)) : changes;
}

function isInsideRecord(path: Path): boolean {
  return path[0] === 'liveTurn' && path.length > 1;
}
