/** From this number of equal calls on, the model gets an error instead of a result. */
const ANSWERED_FROM = 3;
/** At this number of equal calls the turn ends, because the model has ignored the errors. */
const TRIPS_AT = 5;

/**
 * Stops a model that repeats the same call. Returns whether a call runs, is answered with an error, or ends the turn. Equal calls are
 * counted until another call succeeds, because a success may change the result of the repeated call.
 *
 * @param count the number of equal calls, including this call
 */
export function repetition(count: number): 'run' | 'answer' | 'trip' {
  return count >= TRIPS_AT ? 'trip' : count >= ANSWERED_FROM ? 'answer' : 'run';
}
