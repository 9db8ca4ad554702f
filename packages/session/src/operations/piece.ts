import type { OperationOf, OperationType } from './operation.js';

/** The types whose adjacent operations a log stores as one operation, with the number of the last. */
export type PieceType = 'text' | 'thinking' | 'outputArrived';

export type Piece = OperationOf<PieceType>;

/** Returns true if a log stores adjacent operations of this type as one operation. */
export function isPieceType(type: OperationType): type is PieceType {
  return type === 'text' || type === 'thinking' || type === 'outputArrived';
}
