import { Observable } from '../operations/observable.js';
import type { Operation } from '../operations/operation.js';
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
  return new Observable((subscriber) => {
    const { liveTurn, currentText } = session.state;
    if (liveTurn !== null && currentText !== '') subscriber.next({ turnId: liveTurn.id, text: currentText });
    return session.operations$.subscribe({
      next: (operation) => {
        if (operation.type === 'text') subscriber.next({ turnId: operation.turnId, text: operation.delta });
      },
      complete: () => subscriber.complete(),
    });
  });
}
