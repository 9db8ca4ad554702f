/** The number of equal calls from which on the model gets an error instead of a result. */
const ANSWERED_FROM = 3;
/** The number of equal calls at which the turn ends, since the model ignored the errors. */
const TRIPS_AT = 5;

/**
 * Stops a model that repeats the same call: returns whether a call runs, is answered with an error, or ends the turn. Equal calls are
 * counted until another call succeeds, since that may change the result of the repeated one.
 *
 * @param count the number of equal calls so far, this one included
 */
export function repetition(count: number): 'run' | 'answer' | 'trip' {
  return count >= TRIPS_AT ? 'trip' : count >= ANSWERED_FROM ? 'answer' : 'run';
}
