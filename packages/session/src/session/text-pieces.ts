import type { Observable, Subscriber } from '../operations/observable.js';
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
  // Lifted, as operators are: an error of the reader goes to the error port of the session.
  return session.operations$.lift({
    call(subscriber: Subscriber<TextPiece>, operations: Observable<Operation>) {
      const { liveTurn, currentText } = session.state;
      const subscription = operations.subscribe({
        next: (operation) => {
          if (operation.type === 'text') subscriber.next({ turnId: operation.turnId, text: operation.delta });
        },
        complete: () => subscriber.complete(),
      });
      // After the subscription, so that no piece is lost that arrives while the reader takes the text so far.
      if (liveTurn !== null && currentText !== '')
        subscriber.next({ turnId: liveTurn.id, text: currentText });
      return subscription;
    },
  });
}
