import { rememberedPlaces } from './remembered-places.js';
import type { TurnRecord } from './turn-record.js';

/**
 * Returns the indexes of the turns about which there may be a note for the model. Records do not change.
 *
 * @param turns the turns on the path to the head, oldest first
 */
export const notedTurns: (turns: readonly TurnRecord[]) => readonly number[] = rememberedPlaces(
  (turn: TurnRecord) => !isPlain(turn),
);

/**
 * Returns true for a turn that needs no note: it has an answer, nothing to list, and its effects are as its messages say. Nearly every turn
 * is like this.
 */
function isPlain(turn: TurnRecord): boolean {
  const { outcome, undo, unknown, stays, rejected } = turn;
  return (
    undo === undefined &&
    unknown === undefined &&
    stays === undefined &&
    rejected === undefined &&
    outcome?.report === undefined &&
    !isUnanswered(turn) &&
    turn.rounds.at(-1)?.parts.at(-1)?.type === 'text'
  );
}

/**
 * Returns true if the request of a turn stays in the conversation without an answer. Then a model would carry it out together with the next
 * request.
 */
export function isUnanswered({ outcome, rounds }: TurnRecord): boolean {
  switch (outcome?.status) {
    case 'cancelled':
    case 'failed':
      return true;
    case 'stopped':
      return outcome.stop?.kind !== 'tool' && !rounds.at(-1)?.parts.some(({ type }) => type === 'text');
    default:
      return false;
  }
}
