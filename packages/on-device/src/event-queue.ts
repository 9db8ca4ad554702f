import type { ProviderEvent } from '@banister/provider';

/** Queues the events of the model's stream and of the browser's tool calls, in order of arrival, for one reader. */
export class EventQueue {
  private readonly waiting: ProviderEvent[] = [];
  private over: { readonly error: unknown } | 'ended' | null = null;
  private wake = () => {};

  push(event: ProviderEvent): void {
    if (this.over !== null) return;
    this.waiting.push(event);
    this.wake();
  }

  end(): void {
    this.over ??= 'ended';
    this.wake();
  }

  /** After the queued events, `read()` throws the error. With `drop`, the queued events are dropped. */
  fail(error: unknown, { drop = false } = {}): void {
    if (drop) this.waiting.length = 0;
    if (this.over === null || drop) this.over = { error };
    this.wake();
  }

  async *read(): AsyncGenerator<ProviderEvent, void> {
    for (;;) {
      const event = this.waiting.shift();
      if (event !== undefined) yield event;
      else if (this.over === 'ended') return;
      else if (this.over !== null) throw this.over.error;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
