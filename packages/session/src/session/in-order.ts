/** Runs async functions one after the other, in the order in which they were added. */
export class InOrder {
  /** Settles when all functions have settled; null while none runs. */
  private last: Promise<unknown> | null = null;

  get isIdle(): boolean {
    return this.last === null;
  }

  /** Runs a function when the earlier functions have settled. */
  add<R>(run: () => R | Promise<R>): Promise<R> {
    const result = (this.last ?? Promise.resolve()).then(run);
    const last = result
      .catch(() => {})
      .then(() => {
        if (this.last === last) this.last = null;
      });
    this.last = last;
    return result;
  }
}
