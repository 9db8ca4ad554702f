import { signal, type AgentSession, type ReadonlySignal } from '@handrail/session';

/** The message that is being written. */
export interface Composer {
  readonly text: ReadonlySignal<string>;
  write(text: string): void;
  /** Sends what is written, unless that is nothing. While a turn runs it is queued. */
  send(): void;
  /** Sends what is written into the running turn. While none runs, it is sent as usual. */
  steer(): void;
}

export function createComposer(session: ReadonlySignal<AgentSession>): Composer {
  const text = signal('');

  const submit = (running: 'enqueue' | 'steer'): void => {
    const message = text.peek().trim();
    if (message === '') return;
    const of = session.peek();
    // May fail: the session's state holds the outcome.
    void of[of.isRunning.peek() ? running : 'send'](message);
    text.value = '';
  };

  return {
    text,
    write(next) {
      text.value = next;
    },
    send: () => submit('enqueue'),
    steer: () => submit('steer'),
  };
}
