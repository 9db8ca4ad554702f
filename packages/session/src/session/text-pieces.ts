import type { Observable, Subscriber } from '../operations/observable.js';
import type { Operation, OperationOf } from '../operations/operation.js';
import { roundBreak } from '../operations/round-break.js';
import type { SessionState } from '../state/session-state.js';

/** A piece of a turn's text. */
export interface TextPiece {
  readonly turnId: string;
  /** The text to append. */
  readonly text: string;
  /**
   * Present where `text` takes the place of all pieces of the turn so far: an answer that was interrupted is asked for again, or an answer
   * was withheld.
   */
  readonly replace?: true;
}

/**
 * Returns the text of turns piece by piece, for readers that append, such as a terminal or a DOM text node. The first piece is the
 * text so far of the running turn. Together the pieces of a turn are its `currentText`, with a blank line between rounds. To read
 * the whole `currentText` at every change would take time that grows with the square of its length.
 *
 * @example
 * textPieces(session).subscribe(({ text }) => output.append(text));
 */
export function textPieces(session: {
  readonly state: SessionState;
  readonly operations$: Observable<Operation>;
}): Observable<TextPiece> {
  // `lift`, as operators use it: an error of the reader is reported by the observable of the session.
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
      // Emitted after the subscription, so that no piece is lost that arrives while the reader handles the text so far.
      if (liveTurn !== null && currentText !== '')
        subscriber.next({ turnId: liveTurn.id, text: currentText });
      return subscription;
    },
  });
}

/** Whether the text of the open round is removed: it is withheld, or the round is asked again. */
function removesText(
  operation: Operation,
  roundHasText: boolean,
): operation is OperationOf<'retrying' | 'answerWithheld'> {
  const { type } = operation;
  return type === 'answerWithheld' || (type === 'retrying' && roundHasText);
}
