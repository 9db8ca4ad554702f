import { computed, type AgentSession, type ReadonlySignal } from '@banister/session';

/** A session with the number of its signals that have subscribers. */
export interface CountedSession {
  /** The same session; give this one to the view. */
  readonly session: AgentSession;
  /** The number of signals that have subscribers. Zero once every view is gone. */
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
 * Puts a computed signal before each signal of a session, which records when it gets its first subscriber and loses its
 * last one.
 */
export function countedSession(original: AgentSession): CountedSession {
  let watched = 0;
  const counted = (source: ReadonlySignal<unknown>): ReadonlySignal<unknown> =>
    computed(() => source.value, { watched: () => watched++, unwatched: () => watched-- });
  // Inherits everything else: a copy would have to know how the session is built.
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
