import { isPiece, leafOf, type Operation, type Piece } from './operation.js';

/**
 * Returns the operations as a log stores them, with far less text. Left out are the request of a model call, and the text and the messages
 * of a terminal operation, because the state has them. Adjacent pieces of text, of thinking, and of structured output are joined into one
 * operation with the number and the time of the last piece. Facts of other child turns between the pieces keep no piece from being joined.
 * The joined piece stands at the place of the last piece, so that numbers increase. Fields of later releases are kept.
 *
 * @param operations the operations of one record, in order
 *
 * @example
 * const record = { version: 1, revision: 1, epoch: 1, operations: toStored(operations) };
 */
export function toStored(operations: readonly Operation[]): Operation[] {
  const stored: (Operation | undefined)[] = [];
  /** For each turn, by its place: the index of its last stored operation, if it is a piece to which the next piece may be joined. */
  const open = new Map<string, number>();
  for (const operation of operations) {
    const place = placeOf(operation);
    const isOpen = isKnownPiece(operation);
    const before = open.get(place);
    const last = before === undefined ? undefined : stored[before];
    if (isOpen && last !== undefined && goesOn(last, operation)) {
      stored[before!] = undefined;
      stored.push(joined(last, operation));
    } else {
      if (!isOpen) closeAround(place, open);
      stored.push(withoutKnown(operation));
    }
    if (isOpen) open.set(place, stored.length - 1);
  }
  return stored.filter((operation) => operation !== undefined);
}

/** Returns the place of the turn of an operation: empty for the turn of the user, and for an operation of the session. */
function placeOf(operation: Operation): string {
  return operation.type === 'subagent' ? `${operation.path.join('/')}/` : '';
}

/** Ends the pieces of a turn, of the turns above it, and of the turns inside it. */
function closeAround(place: string, open: Map<string, unknown>): void {
  for (const other of open.keys()) if (other.startsWith(place) || place.startsWith(other)) open.delete(other);
}

/** Returns two pieces of one turn as one operation. */
function joined(before: Operation, next: Operation): Operation {
  const delta = pieceOf(before).delta + pieceOf(next).delta;
  return next.type === 'subagent'
    ? { ...next, inner: { ...(next.inner as Piece), delta } }
    : ({ ...next, delta } as Operation);
}

function pieceOf(operation: Operation): Piece {
  return leafOf(operation) as Piece;
}

/** Returns the operation without the fields that can be read from the state or the conversation. */
function withoutKnown(operation: Operation): Operation {
  switch (leafOf(operation).type) {
    case 'modelCallStarted':
    case 'completed':
    case 'stopped':
      return operation.type === 'subagent' ? { ...operation, inner: cut(operation.inner) } : cut(operation);
    default:
      return operation;
  }
}

function cut<T extends { readonly type: string }>(fact: T): T {
  const {
    request: _request,
    text: _text,
    messages: _messages,
    ...rest
  } = fact as T & Readonly<Record<string, unknown>>;
  return rest as unknown as T;
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

/** The fields of a piece of a child turn. */
const knownLeafFields: ReadonlySet<string> = new Set(['type', 'path', 'inner', 'sequence', 'at', 'turnId']);

/** Returns true if two pieces of one turn can be joined into one operation. */
function goesOn(last: Operation, operation: Operation): boolean {
  const before = pieceOf(last);
  if (before.type !== pieceOf(operation).type || last.turnId !== operation.turnId) return false;
  // An empty piece begins a part without text, and the next piece must find that part. A signature closes a part.
  return before.delta !== '' && !('signature' in before) && !('signedBy' in before);
}

function isKnownPiece(operation: Operation): boolean {
  const leaf = leafOf(operation);
  if (!isPiece(leaf)) return false;
  for (const key in leaf) if (!knownFields.has(key)) return false;
  if (operation.type === 'subagent') for (const key in operation) if (!knownLeafFields.has(key)) return false;
  return true;
}
