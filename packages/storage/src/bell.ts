/** Wakes readers that wait for a change. */
export class Bell {
  /** How often it was rung. */
  rings = 0;
  private readonly waiting = new Set<() => void>();

  /** Wakes every reader that waits now. */
  ring(): void {
    this.rings++;
    for (const wake of this.waiting) wake();
  }

  /**
   * Resolves at the next ring, or when the signal fires.
   *
   * @param rings as they were when the reader last looked: resolves at once when the bell was rung since
   */
  wait(signal: AbortSignal, rings = this.rings): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      if (signal.aborted || rings !== this.rings) return resolve();
      this.waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
