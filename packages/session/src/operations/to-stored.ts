import { isPiece, type Operation, type Piece } from './operation.js';

/**
 * Returns the operations as a log stores them, with far less text. Left out are the request of a model call, and the text and the messages
 * of a terminal operation, because the state has them. Adjacent pieces of text, of thinking, and of structured output are joined into one
 * operation with the number and the time of the last piece. Fields of later releases are kept.
 *
 * @param operations the operations of one record, in order
 *
 * @example
 * const record = { version: 1, revision: 1, epoch: 1, operations: toStored(operations) };
 */
export function toStored(operations: readonly Operation[]): Operation[] {
  const stored: Operation[] = [];
  /** The last stored operation, if it is a piece to which the next piece may be joined. */
  let last: Piece | null = null;
  for (const operation of operations) {
    const piece = isKnownPiece(operation) ? operation : null;
    if (last !== null && piece !== null && goesOn(last, piece)) {
      last = { ...piece, delta: last.delta + piece.delta };
      stored[stored.length - 1] = last;
    } else {
      last = piece;
      stored.push(withoutKnown(operation));
    }
  }
  return stored;
}

/** Returns the operation without the fields that can be read from the state or the conversation. */
function withoutKnown(operation: Operation): Operation {
  switch (operation.type) {
    case 'modelCallStarted': {
      const { request: _request, ...rest } = operation;
      return rest;
    }
    case 'completed':
    case 'stopped': {
      const { text: _text, messages: _messages, ...rest } = operation;
      return rest as Operation;
    }
    default:
      return operation;
  }
}

const knownFields: ReadonlySet<string> = new Set([
  'type',
  'delta',
  'signature',
  'signedBy',
  'owner',
  'sequence',
  'at',
  'turnId',
]);

/** Returns true if two adjacent pieces can be joined into one operation. */
function goesOn(before: Piece, next: Piece): boolean {
  if (before.type !== next.type || before.turnId !== next.turnId) return false;
  // An empty piece begins a part without text, and the next piece must find that part. A signature closes a part.
  return before.delta !== '' && !('signature' in before) && !('signedBy' in before);
}

function isKnownPiece(operation: Operation): operation is Piece {
  if (!isPiece(operation)) return false;
  for (const key in operation) if (!knownFields.has(key)) return false;
  return true;
}
