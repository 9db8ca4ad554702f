import { batch, effect, signal, type LocalAgentSession, type ReadonlySignal } from '@handrail/session';

interface KeptSession {
  readonly id: string;
  readonly session: LocalAgentSession;
}

/** The session that is shown, and those that were left while they worked. */
export interface KeptSessions {
  readonly id: ReadonlySignal<string>;
  readonly session: ReadonlySignal<LocalAgentSession>;
  /** All that are open. */
  all(): readonly LocalAgentSession[];
  /** Shows another one. The one before is closed once its work has ended. */
  show(id: string): void;
  /** Closes one that is not shown, its work included. */
  close(id: string): Promise<void>;
}

export function keepSessions(first: string, open: (id: string) => LocalAgentSession): KeptSessions {
  const sessions = new Map<string, LocalAgentSession>();
  const opened = (id: string): KeptSession => {
    const session = sessions.get(id) ?? open(id);
    sessions.set(id, session);
    return { id, session };
  };
  const beginning = opened(first);
  const id = signal(first);
  const session = signal(beginning.session);

  const close = async (left: string): Promise<void> => {
    const closing = sessions.get(left);
    if (closing === undefined || id.peek() === left) return;
    sessions.delete(left);
    await closing.dispose();
  };

  /** Closes a session that was left, as soon as it does nothing more. */
  const leave = ({ id: left, session: of }: KeptSession): void => {
    const stop = effect(() => {
      const isShown = id.value === left;
      const works = of.isRunning.value || (of.queue.value.length > 0 && !of.queuePaused.value);
      if (!isShown && works) return;
      queueMicrotask(() => {
        stop();
        if (!isShown) void close(left);
      });
    });
  };

  return {
    id,
    session,
    all: () => [...sessions.values()],
    show(next) {
      if (next === id.peek()) return;
      const before = { id: id.peek(), session: session.peek() };
      const shown = opened(next);
      batch(() => {
        id.value = shown.id;
        session.value = shown.session;
      });
      leave(before);
    },
    close,
  };
}
