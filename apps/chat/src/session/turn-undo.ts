import {
  computed,
  isAgentSessionError,
  signal,
  type AgentSession,
  type ReadonlySignal,
  type TurnRecord,
} from '@handrail/session';

export type Direction = 'undo' | 'redo';

/** Undo and redo of whole turns, and the question that comes up where the user has changed the board since. */
export interface TurnUndo {
  /** While something is undone or done again, both are what they were before: a button that goes off loses the focus. */
  readonly canUndo: ReadonlySignal<boolean>;
  readonly canRedo: ReadonlySignal<boolean>;
  /** The direction that would overwrite the user's own edits and waits for a decision. Null again once another turn starts. */
  readonly conflict: ReadonlySignal<Direction | null>;
  /** @param force goes on in spite of the user's edits, and leaves them alone */
  run(direction: Direction, force?: boolean): Promise<void>;
  /** Leaves everything as it is. */
  dismiss(): void;
}

interface Conflict {
  readonly direction: Direction;
  /** Of the moment when it was met. */
  readonly turns: readonly TurnRecord[];
}

export function createTurnUndo(session: ReadonlySignal<AgentSession>): TurnUndo {
  const met = signal<Conflict | null>(null);
  const isIdle = computed(() => session.value.phase.value === 'idle');

  const possible = computed(() => ({
    undo: isIdle.value && session.value.canUndo.value,
    redo: isIdle.value && session.value.canRedo.value,
  }));
  const before = signal<Readonly<Record<Direction, boolean>> | null>(null);

  return {
    canUndo: computed(() => (before.value ?? possible.value).undo),
    canRedo: computed(() => (before.value ?? possible.value).redo),
    conflict: computed(() =>
      isIdle.value && met.value?.turns === session.value.turns.value ? met.value.direction : null,
    ),

    async run(direction, force = false) {
      if (before.peek()) return;
      met.value = null;
      before.value = possible.peek();
      const of = session.peek();
      try {
        await of[direction]({ force });
      } catch (error) {
        if (isAgentSessionError(error) && error.code === 'conflict')
          met.value = { direction, turns: of.turns.peek() };
      } finally {
        before.value = null;
      }
    },

    dismiss() {
      met.value = null;
    },
  };
}
