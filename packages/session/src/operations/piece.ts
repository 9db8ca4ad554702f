import type { OperationOf, OperationType } from './operation.js';

/** The types whose adjacent operations a log keeps as one, with the number of the last one. */
export type PieceType = 'text' | 'thinking' | 'outputArrived';

export type Piece = OperationOf<PieceType>;

/** Whether a log keeps adjacent operations of this type as one. */
export function isPieceType(type: OperationType): type is PieceType {
  return type === 'text' || type === 'thinking' || type === 'outputArrived';
}
