import { effect, type LocalAgentSession } from '@banister/session';
import { batch, signal, type ReadonlySignal } from '@banister/session/signals';

interface KeptSession {
  readonly id: string;
  readonly session: LocalAgentSession;
}

/** The session that is shown, and sessions that the user left while they worked or were not saved. */
export interface KeptSessions {
  readonly id: ReadonlySignal<string>;
  readonly session: ReadonlySignal<LocalAgentSession>;
  /** All open sessions, by the id of their chat. */
  readonly all: ReadonlySignal<ReadonlyMap<string, LocalAgentSession>>;
  /**
   * Shows another session. The previous session is closed when its work has ended and its log has all of it.
   */
  show(id: string): void;
  /**
   * Ends the work of a session that is not shown. If its log has all of it, it is closed; otherwise it stays
   * open, because closing it would lose data.
   */
  retire(id: string): Promise<void>;
  /** Closes a session that is not shown, and loses everything that its log lacks. */
  discard(id: string): Promise<void>;
}

export function keepSessions(first: string, open: (id: string) => LocalAgentSession): KeptSessions {
  const all = signal<ReadonlyMap<string, LocalAgentSession>>(new Map());
  const opened = (id: string): KeptSession => {
    const session = all.peek().get(id) ?? open(id);
    all.value = new Map(all.peek()).set(id, session);
    return { id, session };
  };
  const beginning = opened(first);
  const id = signal(first);
  const session = signal(beginning.session);

  const hidden = (left: string): LocalAgentSession | undefined =>
    id.peek() === left ? undefined : all.peek().get(left);

  const discard = async (left: string): Promise<void> => {
    const closing = hidden(left);
    if (closing === undefined) return;
    all.value = new Map([...all.peek()].filter(([one]) => one !== left));
    await closing.dispose();
  };

  /**
   * Closes a session that the user left, as soon as its work has ended. An unsaved session stays open,
   * because closing it would lose data.
   */
  const leave = ({ id: left, session: of }: KeptSession): void => {
    const stop = effect(() => {
      const isShown = id.value === left;
      const works = of.isRunning.value || (of.queue.value.length > 0 && !of.queuePaused.value);
      if (!isShown && (works || isUnsaved(of))) return;
      queueMicrotask(() => {
        stop();
        if (!isShown) void discard(left);
      });
    });
  };

  return {
    id,
    session,
    all,
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
    async retire(left) {
      const session = hidden(left);
      if (session !== undefined && !isStored(session)) await session.cancel();
      else await discard(left);
    },
    discard,
  };
}

/** Returns whether the log has the whole session. If the log is not open yet, it may never have it. */
function isStored({ link }: LocalAgentSession): boolean {
  const { open, saved } = link.peek();
  return open && saved;
}

/** Returns whether the log lacks a part of the session. Reads a signal. */
function isUnsaved({ link }: LocalAgentSession): boolean {
  return link.value.open && !link.value.saved;
}
