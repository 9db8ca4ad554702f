/** Wakes readers that wait for a change. */
export class Bell {
  private readonly waiting = new Set<() => void>();

  /** Wakes every reader that waits now. */
  ring(): void {
    for (const wake of this.waiting) wake();
  }

  /** Resolves at the next ring, or when the signal fires. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      if (signal.aborted) return resolve();
      this.waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
