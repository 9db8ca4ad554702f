import type { TurnRecord } from './turn-record.js';

/** The indexes for the list that was walked through last, by its first turn. Records do not change. */
const known = new WeakMap<
  TurnRecord,
  { readonly turns: readonly TurnRecord[]; readonly noted: readonly number[] }
>();

/**
 * Returns the indexes of the turns that a note for the model may be about: few of many. The turns that a list has in common with the
 * one before it are compared by identity alone, so that a long conversation is read once.
 *
 * @param turns on the path to the head, oldest first
 */
export function notedTurns(turns: readonly TurnRecord[]): readonly number[] {
  const [first] = turns;
  if (first === undefined) return [];
  const last = known.get(first);
  if (last?.turns === turns) return last.noted;
  let index = 0;
  if (last !== undefined) while (index < last.turns.length && last.turns[index] === turns[index]) index++;
  const noted = last?.noted.filter((one) => one < index) ?? [];
  for (; index < turns.length; index++) if (!isPlain(turns[index]!)) noted.push(index);
  known.set(first, { turns, noted });
  return noted;
}

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
