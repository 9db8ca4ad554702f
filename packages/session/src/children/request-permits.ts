/** Permits for the requests that child turns may have open at the same time in one turn. Requests get them in order of arrival. */
export class RequestPermits {
  private taken = 0;
  /** The requests that wait for a permit, in order of arrival. */
  private readonly waiting = new Set<() => void>();

  constructor(private readonly most: number) {}

  /**
   * Takes a permit.
   *
   * @param granted called when the permit is taken, at once or later
   * @returns a function that gives the permit back, or that leaves the queue. Calling it again does nothing.
   */
  take(granted: () => void): () => void {
    let state: 'waiting' | 'taken' | 'given-back' = 'waiting';
    const grant = () => {
      state = 'taken';
      this.taken++;
      granted();
    };
    if (this.taken < this.most) grant();
    else this.waiting.add(grant);
    return () => {
      const before = state;
      state = 'given-back';
      if (before === 'waiting') this.waiting.delete(grant);
      else if (before === 'taken') this.giveBack();
    };
  }

  private giveBack(): void {
    this.taken--;
    const [next] = this.waiting;
    if (next === undefined) return;
    this.waiting.delete(next);
    next();
  }
}
