import type { Observable, Subscriber } from '../operations/observable.js';
import type { Operation, OperationOf } from '../operations/operation.js';
import { roundBreak } from '../operations/round-break.js';
import type { SessionState } from '../state/session-state.js';

/** A piece of a turn's text. */
export interface TextPiece {
  readonly turnId: string;
  /** The text to append. */
  readonly text: string;
  /** Present if `text` replaces all earlier pieces of the turn: an interrupted answer is requested again, or an answer was withheld. */
  readonly replace?: true;
}

/**
 * Returns the text of turns piece by piece, for readers that append text, such as a terminal or a DOM text node. The first piece is the
 * text of the running turn until now. Joined, the pieces of a turn are its `currentText`, with a blank line between rounds. A reader that
 * read all of `currentText` at every change would need time that grows with the square of its length.
 *
 * @example
 * textPieces(session).subscribe(({ text }) => output.append(text));
 */
export function textPieces(session: {
  readonly state: SessionState;
  readonly operations$: Observable<Operation>;
}): Observable<TextPiece> {
  // RxJS operators use `lift` too. Through it, the observable of the session reports an error of the reader.
  return session.operations$.lift({
    call(subscriber: Subscriber<TextPiece>, operations: Observable<Operation>) {
      const { liveTurn, currentText } = session.state;
      let turnHasText = liveTurn !== null && currentText !== '';
      let roundHasText = liveTurn?.rounds.at(-1)?.parts.some(({ type }) => type === 'text') ?? false;
      const subscription = operations.subscribe({
        next: (operation) => {
          if (operation.type === 'turnStarted') turnHasText = false;
          else if (operation.type === 'roundStarted') roundHasText = false;
          else if (removesText(operation, roundHasText)) {
            const text = session.state.currentText;
            turnHasText = text !== '';
            roundHasText = false;
            subscriber.next({ turnId: operation.turnId, text, replace: true });
          } else if (operation.type === 'text') {
            const { turnId, delta } = operation;
            const text = turnHasText && !roundHasText ? roundBreak + delta : delta;
            turnHasText = roundHasText = true;
            subscriber.next({ turnId, text });
          }
        },
        complete: () => subscriber.complete(),
      });
      // Emitted after subscribing, so that no piece is lost that arrives while the reader handles this first piece.
      if (liveTurn !== null && currentText !== '')
        subscriber.next({ turnId: liveTurn.id, text: currentText });
      return subscription;
    },
  });
}

/** Returns true if an operation removes the text of the open round: the text is withheld, or the round is requested again. */
function removesText(
  operation: Operation,
  roundHasText: boolean,
): operation is OperationOf<'retrying' | 'answerWithheld'> {
  const { type } = operation;
  return type === 'answerWithheld' || (type === 'retrying' && roundHasText);
}
