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
  const entries: (Entry | undefined)[] = [];
  /** For each turn, by its place: the index of its last entry, if it is a piece to which the next piece may be joined. */
  const open = new Map<string, number>();
  const placeOf = placeReader();
  for (const operation of operations) {
    const place = placeOf(operation);
    const isOpen = isKnownPiece(operation);
    const before = open.get(place);
    const entry = before === undefined ? undefined : entries[before];
    if (isOpen && entry !== undefined && goesOn(entry, operation)) {
      entries[before!] = undefined;
      entries.push({ last: operation, delta: entry.delta + pieceOf(operation).delta });
    } else {
      if (!isOpen) closeAround(place, open);
      entries.push({ last: operation, delta: isOpen ? pieceOf(operation).delta : null });
    }
    if (isOpen) open.set(place, entries.length - 1);
  }
  return entries.flatMap((entry) => (entry === undefined ? [] : [storedOf(entry)]));
}

/** A stored operation: pieces that are joined, up to the last one, or any other operation. */
interface Entry {
  readonly last: Operation;
  /** The text of the pieces; null for any other operation. */
  readonly delta: string | null;
}

/**
 * Returns a function that returns the place of the turn of an operation: empty for the turn of the user, and for an operation of the session.
 * The facts of a child turn have one path, so the place of a path is made once.
 */
function placeReader(): (operation: Operation) => string {
  let path: readonly string[] = [];
  let place = '';
  return (operation) => {
    if (operation.type !== 'subagent') return '';
    if (operation.path !== path) {
      path = operation.path;
      place = `${path.join('/')}/`;
    }
    return place;
  };
}

/** Ends the pieces of a turn, of the turns above it, and of the turns inside it. */
function closeAround(place: string, open: Map<string, unknown>): void {
  for (const other of open.keys()) if (other.startsWith(place) || place.startsWith(other)) open.delete(other);
}

function storedOf({ last, delta }: Entry): Operation {
  if (delta === null || delta === pieceOf(last).delta) return withoutKnown(last);
  return last.type === 'subagent'
    ? { ...last, inner: { ...(last.inner as Piece), delta } }
    : ({ ...last, delta } as Operation);
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

/** Returns true if a piece can be joined to the pieces before it. */
function goesOn({ last, delta }: Entry, operation: Operation): boolean {
  const before = pieceOf(last);
  if (before.type !== pieceOf(operation).type || last.turnId !== operation.turnId) return false;
  // An empty piece begins a part without text, and the next piece must find that part. A signature closes a part.
  return delta !== '' && !('signature' in before) && !('signedBy' in before);
}

function isKnownPiece(operation: Operation): boolean {
  const leaf = leafOf(operation);
  if (!isPiece(leaf)) return false;
  for (const key in leaf) if (!knownFields.has(key)) return false;
  if (operation.type === 'subagent') for (const key in operation) if (!knownLeafFields.has(key)) return false;
  return true;
}
