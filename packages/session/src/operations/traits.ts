import type { Operation, OperationOf } from './operation.js';

/** How an operation is published, frozen, written and stored. */
export interface Traits {
  /** It arrives many times a second. Signals publish it once a frame, and operations without this trait at once. */
  readonly isPaced: boolean;
  /**
   * A turn has thousands of its type. Its fields are strings, numbers and frozen objects, so that it need not be frozen deeply.
   */
  readonly isDelta: boolean;
  /** A journal writes it without a delay, because it says that an effect is about to move, or has moved. */
  readonly isWrittenAtOnce: boolean;
  /** A log stores adjacent operations of its type as one operation, with the number of the last. */
  readonly isPiece: boolean;
}

/** An operation with the trait `isPiece`. */
export type Piece = OperationOf<'text' | 'thinking' | 'outputArrived'>;

const plain: Traits = { isPaced: false, isDelta: false, isWrittenAtOnce: false, isPiece: false };
const move: Traits = { ...plain, isWrittenAtOnce: true };
const paced: Traits = { ...plain, isPaced: true };
const delta: Traits = { ...paced, isDelta: true };
const piece: Traits = { ...delta, isPiece: true };

/** Returns the traits of an operation. This is the only place that decides them. */
export function traitsOf({ type }: Pick<Operation, 'type'>): Traits {
  switch (type) {
    case 'text':
    case 'thinking':
    case 'outputArrived':
      return piece;
    case 'toolCallPartial':
      return delta;
    case 'toolProgress':
    case 'usage':
      return paced;
    case 'rollbackStarted':
    case 'effectReverted':
    case 'effectReapplied':
      return move;
    default:
      return plain;
  }
}

/** Returns true if the changes of these operations may be published together at the end of a frame. */
export function arePaced(operations: readonly Operation[]): boolean {
  return operations.every((operation) => traitsOf(operation).isPaced);
}
