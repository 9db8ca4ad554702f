import {
  allCallsOf,
  textOf,
  type AgentSession,
  type Interruption as Cut,
  type ToolCallView,
} from '@banister/session';
import { computed, type ReadonlySignal } from '@banister/session/signals';
import type { Composer } from './composer.js';
import { isReading } from './tool-verbs.js';

/** The work that an earlier page left open, in words, and the ways to end it. */
export interface InterruptionNotice {
  readonly text: string;
  /** How far the turn came, "1 of 3"; empty if it changes nothing. */
  readonly detail: string;
  /** The label of the button that continues; null if answering the open questions continues. */
  readonly goOn: string | null;
  /** False if an end or an undo had begun, which can only be finished. */
  readonly canTakeBack: boolean;
}

/** A turn, an undo or a redo that a reload interrupted. It waits for the user. */
export interface Interruption {
  /** null if nothing is interrupted. */
  readonly notice: ReadonlySignal<InterruptionNotice | null>;
  /** Continues at the point of the interruption. */
  goOn(): void;
  /** Undoes everything that the turn did. */
  takeBack(): void;
}

export function createInterruption(
  session: ReadonlySignal<AgentSession>,
  { giveBack, tell }: Pick<Composer, 'giveBack' | 'tell'>,
): Interruption {
  return {
    notice: computed(() => {
      const { interrupted, isRunning, liveTurn, pendingConfirmations } = session.value;
      // It runs while the code that ends it is fetched, and can be stopped.
      if (interrupted.value === null || isRunning.value) return null;
      const calls = allCallsOf(liveTurn.value);
      const asked = pendingConfirmations.value.filter(({ answeredBy }) => answeredBy === 'signal').length;
      if (asked > 0) return askedAgain(asked);
      const changes = calls.filter(({ tool, children }) => !isReading(tool) && children === undefined);
      const settled = changes.filter(({ state }) => state === 'settled').length;
      // Everything was undone in a review, so only the end has to be recorded.
      if (interrupted.value.at === 'commit' && calls.some(isBack) && !changes.some(isInEffect))
        return { ...wordsAt.commit, text: 'All is back, the turn has not ended', detail: '' };
      return {
        ...wordsAt[interrupted.value.at],
        detail: changes.length === 0 ? '' : `${settled} of ${changes.length}`,
      };
    }),

    // The session's state holds the end of a turn, except for a table, which leaves no turn.
    goOn() {
      const of = session.peek();
      const turn = of.liveTurn.peek();
      tell(null);
      of.resume().catch((error: unknown) => {
        if (session.peek() !== of) return;
        if (of.interrupted.peek() !== null) tell(error);
        else if (turn?.structured) giveBack(textOf(turn.input), [], error);
      });
    },
    takeBack() {
      const of = session.peek();
      tell(null);
      takenBack(of).catch((error: unknown) => {
        if (session.peek() === of && of.interrupted.peek() !== null) tell(error);
      });
    },
  };
}

/** Each answer continues the turn. Then the time for the questions starts again. */
function askedAgain(count: number): InterruptionNotice {
  return {
    text: `Answer ${count === 1 ? 'the question' : `${count} questions`} first`,
    detail: 'interrupted, no time runs',
    goOn: null,
    canTakeBack: true,
  };
}

/**
 * Undoes everything that the turn did. Only a continued turn asks the tools about calls that were cut. So the
 * turn continues until the tools have answered, and is then stopped.
 */
async function takenBack(of: AgentSession): Promise<void> {
  const calls = allCallsOf(of.liveTurn.peek());
  const cut = new Set(calls.filter(isCut).map(({ id }) => id));
  if (of.interrupted.peek()?.at !== 'batch' || cut.size === 0) {
    await of.abandon();
    return;
  }
  const known = of.operations$.subscribe((operation) => {
    const isEnd =
      operation.type === 'toolCompleted' ||
      operation.type === 'toolFailed' ||
      (operation.type === 'toolInterrupted' && operation.decision !== 'rerun');
    if (isEnd && cut.delete(operation.callId) && cut.size === 0) void of.cancel();
  });
  try {
    await of.resume();
  } finally {
    known.unsubscribe();
  }
}

/** Returns whether a call had started and its end is unknown. */
function isCut({ state }: ToolCallView): boolean {
  return state === 'executing' || state === 'interrupted';
}

function isBack({ reverted }: ToolCallView): boolean {
  return reverted === true;
}

function isInEffect({ reverted, result }: ToolCallView): boolean {
  return reverted !== true && result?.outcome === 'success';
}

const canContinue = { text: 'Interrupted', goOn: 'Continue', canTakeBack: true } as const;

const wordsAt: Readonly<Record<Cut['at'], Omit<InterruptionNotice, 'detail'>>> = {
  round: canContinue,
  stream: canContinue,
  batch: canContinue,
  review: { text: 'The review was interrupted', goOn: 'Continue', canTakeBack: true },
  commit: { text: 'Interrupted at its end', goOn: 'Finish', canTakeBack: false },
  rollback: { text: 'Interrupted while it was taken back', goOn: 'Finish', canTakeBack: false },
  undo: { text: 'The undo was interrupted', goOn: 'Finish', canTakeBack: false },
  redo: { text: 'The redo was interrupted', goOn: 'Finish', canTakeBack: false },
};
