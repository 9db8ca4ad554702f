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

/** True for a turn that lists nothing, and whose effects are as its messages say, as nearly every turn. */
function isPlain({ outcome, undo, unknown, stays, rejected }: TurnRecord): boolean {
  return (
    undo === undefined &&
    unknown === undefined &&
    stays === undefined &&
    rejected === undefined &&
    outcome?.report === undefined &&
    outcome?.status !== 'cancelled'
  );
}
