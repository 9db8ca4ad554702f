import {
  callsOf,
  computed,
  type AgentSession,
  type Interruption as Cut,
  type ReadonlySignal,
} from '@handrail/session';
import type { DescribeCall } from './chat.js';

/** The work that an earlier page left open, in words, and the ways to end it. */
export interface InterruptionNotice {
  readonly text: string;
  /** Calls of which it is not known if they acted, in words. */
  readonly unknown: readonly string[];
  /** The label of the button that goes on. */
  readonly goOn: string;
  /** False where an end or an undo had begun: it can only be finished. */
  readonly canTakeBack: boolean;
}

/** A turn, an undo or a redo that a reload interrupted. It waits for the user. */
export interface Interruption {
  /** null while nothing is interrupted. */
  readonly notice: ReadonlySignal<InterruptionNotice | null>;
  /** Goes on where it was interrupted. */
  goOn(): void;
  /** Takes back everything that the turn did. */
  takeBack(): void;
}

export function createInterruption(
  session: ReadonlySignal<AgentSession>,
  describe: DescribeCall,
): Interruption {
  return {
    notice: computed(() => {
      const { interrupted, liveTurn } = session.value;
      if (interrupted.value === null) return null;
      const calls = liveTurn.value?.rounds.flatMap(callsOf) ?? [];
      const { at, unknown } = interrupted.value;
      return {
        ...wordsAt[at],
        unknown: calls.filter(({ id }) => unknown.includes(id)).map(describe),
      };
    }),

    // Both may fail: the session's state holds the outcome.
    goOn() {
      void session.peek().resume();
    },
    takeBack() {
      void session.peek().abandon();
    },
  };
}

const canContinue = { text: 'This turn was interrupted.', goOn: 'Continue', canTakeBack: true } as const;

const wordsAt: Readonly<Record<Cut['at'], Omit<InterruptionNotice, 'unknown'>>> = {
  round: canContinue,
  stream: canContinue,
  batch: canContinue,
  commit: { text: 'The end of this turn was interrupted.', goOn: 'Finish', canTakeBack: false },
  rollback: { text: 'Taking this turn back was interrupted.', goOn: 'Finish', canTakeBack: false },
  undo: { text: 'The undo of a turn was interrupted.', goOn: 'Finish', canTakeBack: false },
  redo: { text: 'The redo of a turn was interrupted.', goOn: 'Finish', canTakeBack: false },
};
