import type { ConfirmationOperation } from './confirmation-operations.js';
import type { ModelOperation } from './model-operations.js';
import type { SessionOperation } from './session-operations.js';
import type { ToolOperation } from './tool-operations.js';
import type { TurnOperation } from './turn-operations.js';

/** A fact of a turn, as the pipeline makes it: without number, time and turn, which the session stamps on. */
export type TurnFact = TurnOperation | ModelOperation | ToolOperation | ConfirmationOperation;

/** A fact of the session as a whole. */
export type SessionFact = SessionOperation;

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
 * One fact in the stream of a session: readonly JSON, observation only. Operations of a turn carry its id, those of the
 * session none. The union is open: ignore the types that you do not know.
 */
export type Operation = Stamped<TurnFact, TurnStamp> | Stamped<SessionFact, SessionStamp>;

export type OperationType = Operation['type'];

/** The operation of a type. */
export type OperationOf<T extends OperationType> = Extract<Operation, { readonly type: T }>;

/** Types that arrive many times a second; signals publish them once a frame, everything else at once. */
export function isPaced(type: OperationType): boolean {
  return (
    type === 'text' ||
    type === 'thinking' ||
    type === 'toolCallPartial' ||
    type === 'toolProgress' ||
    type === 'usage'
  );
}

/** Types of which a turn has thousands. They carry texts only, so that there is nothing below them to change. */
export function isDelta(type: OperationType): boolean {
  return type === 'text' || type === 'thinking' || type === 'toolCallPartial';
}

type TerminalType = 'completed' | 'stopped' | 'cancelled' | 'failed';

/** The four that end a turn. */
export function isTerminal<T extends { readonly type: string }>(
  operation: T,
): operation is Extract<T, { readonly type: TerminalType }> {
  const { type } = operation;
  return type === 'completed' || type === 'stopped' || type === 'cancelled' || type === 'failed';
}
