import { concat, defer, filter, map, of, EMPTY, type Observable } from 'rxjs';
import type { Operation, OperationOf } from '../operations/operation.js';
import type { SessionState } from '../state/session-state.js';

/** A piece of a turn's text. */
export interface TextPiece {
  readonly turnId: string;
  readonly text: string;
}

/**
 * The text of turns piece by piece, the text so far first: for readers that append, such as a terminal or a DOM text
 * node. Reading `currentText` as a whole on every change costs time that grows with the square of its length.
 *
 * @example
 * textPieces(session).subscribe(({ text }) => output.append(text));
 */
export function textPieces(session: {
  readonly state: SessionState;
  readonly operations$: Observable<Operation>;
}): Observable<TextPiece> {
  return defer(() => {
    const { liveTurn, currentText } = session.state;
    const soFar =
      liveTurn !== null && currentText !== '' ? of({ turnId: liveTurn.id, text: currentText }) : EMPTY;
    const pieces = session.operations$.pipe(
      filter((operation): operation is OperationOf<'text'> => operation.type === 'text'),
      map(({ turnId, delta }) => ({ turnId, text: delta })),
    );
    return concat(soFar, pieces);
  });
}
