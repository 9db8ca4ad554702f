import { effect, isAgentSessionError, type AgentSession } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';

export type MarkKind = 'saved' | 'saving' | 'elsewhere' | 'offline' | 'read-only' | 'unsaved';

/** Says in words where the chat is stored, and whether it is saved. */
export interface SavedMark {
  readonly kind: MarkKind;
  readonly words: string;
  /** Why the chat is not saved, or can only be read; null if there is no problem. */
  readonly reason: string | null;
}

interface SavedMarkOptions {
  readonly session: ReadonlySignal<AgentSession>;
  /** Whether a write takes long. */
  readonly isSlow: ReadonlySignal<boolean>;
  readonly isOnline: ReadonlySignal<boolean>;
  /** Whether the model answers without a network. */
  readonly isLocal: ReadonlySignal<boolean>;
}

export interface SavedMarks {
  readonly current: ReadonlySignal<SavedMark>;
  /** Takes an error that a session reports. */
  meet(session: AgentSession, error: unknown): void;
}

export function createSavedMarks({ session, isSlow, isOnline, isLocal }: SavedMarkOptions): SavedMarks {
  const problem = signal<{ readonly of: AgentSession; readonly reason: string } | null>(null);
  // The turn whose write was refused has the reason. The reason stays shown while later turns run unsaved.
  effect(() => {
    const error = session.value.lastError.value;
    if (error?.code === 'storage') problem.value = { of: session.value, reason: error.message };
  });
  return {
    current: computed(() => {
      const { role, open, saved } = session.value.link.value;
      const why = problem.value?.of === session.value ? problem.value.reason : null;
      if (role === 'read-only') return { kind: 'read-only', words: 'Can only be read', reason: why };
      if (open && !saved) return { kind: 'unsaved', words: 'Not saved', reason: why };
      if (isSlow.value) return mark('saving', 'Saving…');
      if (role === 'follower') return mark('elsewhere', 'Another tab writes');
      if (!isOnline.value) return mark('offline', isLocal.value ? 'Offline, still works' : 'Offline');
      return mark('saved', 'Saved on this device');
    }),

    meet(of, error) {
      if (isAgentSessionError(error)) problem.value = { of, reason: error.message };
      else reportError(error);
    },
  };
}

function mark(kind: MarkKind, words: string): SavedMark {
  return { kind, words, reason: null };
}

/** Whether the browser has a network. */
export function onlineSignal(): ReadonlySignal<boolean> {
  const online = signal(navigator.onLine);
  addEventListener('online', () => (online.value = true));
  addEventListener('offline', () => (online.value = false));
  return online;
}
