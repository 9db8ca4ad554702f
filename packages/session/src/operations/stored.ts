import type { Operation } from './operation.js';
import { isPieceType, type Piece } from './piece.js';

/** Returns the operations as a log stores them: `toStored` of the public entry, for code that is loaded late. */
export function storedOperations(operations: readonly Operation[]): Operation[] {
  const stored: Operation[] = [];
  for (const operation of operations) {
    const before = stored.at(-1);
    const joined = before === undefined ? undefined : joinedPieces(before, operation);
    if (joined === undefined) stored.push(withoutKnown(operation));
    else stored[stored.length - 1] = joined;
  }
  return stored;
}

/** Returns the operation without the fields that the state or the conversation has. */
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

/** Returns one operation for two adjacent pieces; undefined where they must stay apart. */
function joinedPieces(before: Operation, next: Operation): Piece | undefined {
  if (!isPiece(before) || !isPiece(next) || before.type !== next.type) return undefined;
  // An empty piece begins a part without text, which the next one must find. A signature closes a part.
  if (before.delta === '' || 'signature' in before || 'signedBy' in before) return undefined;
  return before.turnId === next.turnId ? { ...next, delta: before.delta + next.delta } : undefined;
}

function isPiece(operation: Operation): operation is Piece {
  return isPieceType(operation.type) && Object.keys(operation).every((key) => knownFields.has(key));
}
