import type { JsonObject } from '@banister/session';

/** Messages that are read in the order in which they were added. */
export class Inbox {
  private readonly waiting: JsonObject[] = [];
  private ring = () => {};

  put(message: JsonObject): void {
    this.waiting.push(message);
    this.ring();
  }

  /** Ends when `signal` aborts. */
  async *messages(signal: AbortSignal): AsyncGenerator<JsonObject, void, void> {
    const aborted = () => this.ring();
    signal.addEventListener('abort', aborted);
    while (!signal.aborted) {
      const message = this.waiting.shift();
      if (message !== undefined) yield message;
      else
        await new Promise<void>((resolve) => {
          this.ring = resolve;
        });
    }
    signal.removeEventListener('abort', aborted);
  }
}
