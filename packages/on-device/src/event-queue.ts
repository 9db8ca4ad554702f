import type { ProviderEvent } from '@handrail/session/provider';

/** Events on their way to the reader: what the stream brings and what the browser calls meet here, in order of arrival. */
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

  /** The reader learns of it after what arrived before; an abort drops that too. */
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
