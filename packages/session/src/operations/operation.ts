import type { ContextCompacted, ContextUncompacted } from '../compaction/compaction-operations.js';
import type { ConfirmationOperation } from '../consent/confirmation-operations.js';
import type { ChildStarted, Subagent } from './child-operations.js';
import type { ConsentOperation } from '../consent/consent-operations.js';
import type { DomainsActivated } from '../discovery/discovery-operations.js';
import type { ExtensionOperation } from '../extension/extension-operations.js';
import type { MiddlewareActed, MiddlewareOperation } from '../middleware/middleware-operations.js';
import type { ModelOperation } from './model-operations.js';
import type { QueueOperation } from '../queue/queue-operations.js';
import type { ReviewOperation } from '../review/review-operations.js';
import type { SessionOperation } from './session-operations.js';
import type { StructuredOperation } from '../structured/structured-operations.js';
import type { ToolOperation } from './tool-operations.js';
import type { TurnOperation } from './turn-operations.js';

/** A fact of one turn, whether the user sent the turn or an agent runs it. */
export type LeafFact =
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

/** A fact of a child turn. */
export type ChildFact = Exclude<LeafFact, TurnOperation & { readonly type: 'turnStarted' }> | ChildStarted;

/** A fact of a turn, as the pipeline emits it. `SessionCore` adds its number, its time and the id of the turn. */
export type TurnFact = LeafFact | Subagent<ChildFact>;

/** A fact of the session as a whole. */
export type SessionFact =
  | SessionOperation
  | QueueOperation
  | ContextCompacted
  | ContextUncompacted
  | MiddlewareActed
  | ConsentOperation;

interface Stamp {
  /** Increases by one with each operation. It is the order of delivery. */
  readonly sequence: number;
  /** Milliseconds since 1970. */
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
 * One fact in the stream of a session. It is readonly JSON, and only for observation. Operations of a turn have the id of the turn;
 * operations of the session have none. The union is open: later releases add types, so ignore unknown types.
 */
export type Operation = Stamped<TurnFact, TurnStamp> | Stamped<SessionFact, SessionStamp>;

/** The type of an operation. */
export type OperationType = Operation['type'];

/** The operation with this type. */
export type OperationOf<T extends OperationType> = Extract<Operation, { readonly type: T }>;

// How an operation is published, frozen and stored is decided here only. Every piece is a delta, and every delta is paced.

type PieceType = 'text' | 'thinking' | 'outputArrived';

/** A fact of which a log stores adjacent ones as one fact, with the number of the last. */
export type Piece = Extract<LeafFact, { readonly type: PieceType }>;

/** Returns the fact of a child turn in an operation, or the operation itself. */
export function leafOf<T extends { readonly type: string }>(
  operation: T | Subagent<ChildFact>,
): T | ChildFact {
  return operation.type === 'subagent' ? (operation as Subagent<ChildFact>).inner : (operation as T);
}

/** Returns true if a log may store the fact and adjacent facts of its type as one fact. */
export function isPiece<T extends { readonly type: string }>(
  fact: T,
): fact is Extract<T, { readonly type: PieceType }> {
  const { type } = fact;
  return type === 'text' || type === 'thinking' || type === 'outputArrived';
}

/**
 * Returns true for an operation of which a turn has thousands. Its fields are strings, numbers and frozen objects, so it need not be frozen
 * deeply.
 */
export function isDelta(operation: Operation): boolean {
  const { type } = leafOf(operation);
  return type === 'text' || type === 'thinking' || type === 'toolCallPartial' || type === 'outputArrived';
}

/** Returns true for an operation that arrives many times a second. Signals publish it once a frame, and all others at once. */
export function isPaced(operation: Operation): boolean {
  const { type } = operation;
  return (
    type === 'text' ||
    type === 'thinking' ||
    type === 'toolCallPartial' ||
    type === 'outputArrived' ||
    type === 'toolProgress' ||
    type === 'usage' ||
    (type === 'subagent' && !isSeenAtOnce(operation.inner))
  );
}

/** Returns true for a fact of a child turn that the user has to see at once. Many child turns make the other facts at the same time. */
function isSeenAtOnce(inner: ChildFact): boolean {
  const { type } = inner;
  return type === 'confirmationRequested' || type === 'confirmationResolved' || isTerminal(inner);
}

type TerminalType = 'completed' | 'stopped' | 'cancelled' | 'failed';

/** Returns true for the four types that end a turn. */
export function isTerminal<T extends { readonly type: string }>(
  operation: T,
): operation is Extract<T, { readonly type: TerminalType }> {
  const { type } = operation;
  return type === 'completed' || type === 'stopped' || type === 'cancelled' || type === 'failed';
}
