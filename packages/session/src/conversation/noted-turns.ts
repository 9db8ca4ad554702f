import { rememberedPlaces } from './remembered-places.js';
import type { TurnRecord } from './turn-record.js';

/**
 * Returns the indexes of the turns that a note for the model may be about. Records do not change.
 *
 * @param turns on the path to the head, oldest first
 */
export const notedTurns: (turns: readonly TurnRecord[]) => readonly number[] = rememberedPlaces(
  (turn: TurnRecord) => !isPlain(turn),
);

/** True for a turn that lists nothing, that has its answer, and whose effects are as its messages say, as nearly every turn. */
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

/** Whether the request of a turn is left in the conversation without an answer: a model would carry it out with the next one. */
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
