/** Wakes readers that wait for a change. */
export class Bell {
  /** How often the bell was rung. */
  rings = 0;
  private readonly waiting = new Set<() => void>();

  /** Wakes every reader that is waiting. */
  ring(): void {
    this.rings++;
    for (const wake of this.waiting) wake();
  }

  /**
   * Resolves at the next ring, or when `signal` aborts.
   *
   * @param rings the value of `rings` at the reader's last look; the promise resolves at once if the bell has rung since then
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
