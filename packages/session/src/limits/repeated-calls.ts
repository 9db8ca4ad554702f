/** The number of equal calls from which on the model gets an error instead of a result. */
const ANSWERED_FROM = 3;
/** The number of equal calls at which the turn ends, since the model ignored the errors. */
const TRIPS_AT = 5;

/**
 * Stops a model that repeats the same call. Equal calls are counted until another call succeeds, since that may change the result of
 * the repeated one.
 */
export class RepeatedCalls {
  private counts = new Map<string, number>();

  /**
   * Counts a call, and returns whether it runs, is answered with an error, or ends the turn.
   *
   * @param key the tool and the arguments of the call
   */
  count(key: string): 'run' | 'answer' | 'trip' {
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return count >= TRIPS_AT ? 'trip' : count >= ANSWERED_FROM ? 'answer' : 'run';
  }

  /** Is called when a call succeeded: the counts of all other calls begin again. */
  succeeded(key: string): void {
    this.counts = new Map([[key, this.counts.get(key) ?? 0]]);
  }
}
