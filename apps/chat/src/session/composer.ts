import { signal, type AgentSession, type ReadonlySignal } from '@handrail/session';

/** The message that is being written. */
export interface Composer {
  readonly text: ReadonlySignal<string>;
  write(text: string): void;
  /** Sends what is written, unless that is nothing or a turn runs. */
  send(): void;
}

export function createComposer(session: ReadonlySignal<AgentSession>): Composer {
  const text = signal('');
  return {
    text,

    write(next) {
      text.value = next;
    },

    send() {
      const message = text.peek().trim();
      if (message === '' || session.peek().isRunning.peek()) return;
      // May fail: the session's state holds the outcome.
      void session.peek().send(message);
      text.value = '';
    },
  };
}
