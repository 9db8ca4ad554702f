/** Repetitions of one call after which it is answered with an error instead of being run. */
const ANSWERED_FROM = 3;
/** Repetitions at which the turn ends: the model has not reacted to the error. */
const TRIPS_AT = 5;

/**
 * The fuse against a model that makes the same call over and over. Repetitions count as long as no other call succeeds
 * in between, since that may change what the repeated one answers.
 */
export class RepeatedCalls {
  private counts = new Map<string, number>();

  /** @param key tool and arguments of the call */
  count(key: string): 'run' | 'answer' | 'trip' {
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return count >= TRIPS_AT ? 'trip' : count >= ANSWERED_FROM ? 'answer' : 'run';
  }

  /** A call succeeded: every other one may be made again. */
  succeeded(key: string): void {
    this.counts = new Map([[key, this.counts.get(key) ?? 0]]);
  }
}
