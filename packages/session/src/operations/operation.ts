import type { ContextCompacted, ContextUncompacted } from './compaction-operations.js';
import type { ConfirmationOperation } from './confirmation-operations.js';
import type { ConsentOperation } from './consent-operations.js';
import type { DomainsActivated } from './discovery-operations.js';
import type { ExtensionOperation } from './extension-operations.js';
import type { MiddlewareActed, MiddlewareOperation } from './middleware-operations.js';
import type { ModelOperation } from './model-operations.js';
import type { QueueOperation } from './queue-operations.js';
import type { ReviewOperation } from './review-operations.js';
import type { SessionOperation } from './session-operations.js';
import type { StructuredOperation } from './structured-operations.js';
import type { ToolOperation } from './tool-operations.js';
import type { TurnOperation } from './turn-operations.js';

/** A fact of a turn, as the pipeline emits it: `SessionCore` adds its number, its time and the id of the turn. */
export type TurnFact =
  | TurnOperation
  | ModelOperation
  | ToolOperation
  | ConfirmationOperation
  | MiddlewareOperation
  | StructuredOperation
  | ReviewOperation
  | ExtensionOperation
  | DomainsActivated
  | ContextCompacted;

/** A fact of the session as a whole. */
export type SessionFact =
  | SessionOperation
  | QueueOperation
  | ContextCompacted
  | ContextUncompacted
  | MiddlewareActed
  | ConsentOperation;

interface Stamp {
  /** Rises by one with each operation: the order of delivery. */
  readonly sequence: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface TurnStamp extends Stamp {
  readonly turnId: string;
}

interface SessionStamp extends Stamp {
  readonly turnId?: undefined;
}

type Stamped<Fact, S> = Fact extends unknown ? Fact & S : never;

/**
 * One fact in the stream of a session: readonly JSON, observation only. Operations of a turn have its id, those of the
 * session have none. The union is open: later releases add types, so ignore unknown ones.
 */
export type Operation = Stamped<TurnFact, TurnStamp> | Stamped<SessionFact, SessionStamp>;

/** The name of an operation. */
export type OperationType = Operation['type'];

/** The operation of a type. */
export type OperationOf<T extends OperationType> = Extract<Operation, { readonly type: T }>;

/** True for the types that arrive many times a second: signals publish these once a frame, all others at once. */
export function isPaced(type: OperationType): boolean {
  return (
    type === 'text' ||
    type === 'thinking' ||
    type === 'toolCallPartial' ||
    type === 'outputArrived' ||
    type === 'toolProgress' ||
    type === 'usage'
  );
}

/**
 * True for the types of which a turn has thousands. Their fields are strings, numbers and frozen objects, so that nothing in them
 * can be changed.
 */
export function isDelta(type: OperationType): boolean {
  return type === 'text' || type === 'thinking' || type === 'toolCallPartial' || type === 'outputArrived';
}

type TerminalType = 'completed' | 'stopped' | 'cancelled' | 'failed';

/** True for the four types that end a turn. */
export function isTerminal<T extends { readonly type: string }>(
  operation: T,
): operation is Extract<T, { readonly type: TerminalType }> {
  const { type } = operation;
  return type === 'completed' || type === 'stopped' || type === 'cancelled' || type === 'failed';
}
