import type { AgentSession } from '@banister/session';
import { computed, type ReadonlySignal } from '@banister/session/signals';

/** A session, and how many of its signals have subscribers. */
export interface CountedSession {
  /** The same session; pass this object to the view. */
  readonly session: AgentSession;
  /** The number of signals that have subscribers. It is zero when no view is left. */
  readonly watched: number;
}

const signalNames = [
  'isRunning',
  'phase',
  'pendingRetry',
  'currentText',
  'currentThinking',
  'turns',
  'liveTurn',
  'conversation',
  'compactions',
  'activeToolCalls',
  'pendingConfirmation',
  'pendingConfirmations',
  'lastUsageReport',
  'budget',
  'lastSchemaWarnings',
  'lastContextDiagnostics',
  'lastOutcome',
  'lastError',
  'branches',
  'undoEntries',
  'canUndo',
  'canRedo',
  'queue',
  'queuePaused',
] as const satisfies readonly (keyof AgentSession)[];

/**
 * Wraps each signal of a session in a computed signal, which records when it gets its first subscriber and loses its last subscriber.
 */
export function countedSession(original: AgentSession): CountedSession {
  let watched = 0;
  const counted = (source: ReadonlySignal<unknown>): ReadonlySignal<unknown> =>
    computed(() => source.value, { watched: () => watched++, unwatched: () => watched-- });
  // Everything else is inherited. A copy would depend on how the session is built.
  const session: AgentSession = Object.create(
    original,
    Object.fromEntries(
      signalNames.map((name) => [name, { value: counted(original[name]), enumerable: true }]),
    ),
  );
  return {
    session,
    get watched() {
      return watched;
    },
  };
}
