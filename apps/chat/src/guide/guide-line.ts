import type { AgentSession } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import type { ColumnId } from '../board/board.js';

/** The words of the page beside the agent's. */
export interface GuideWords {
  /** `playing` while a scenario goes on, `yours` at its end, `answer` to a command that was typed. */
  readonly kind: 'playing' | 'yours' | 'answer';
  readonly text: string;
  /** The column of the board that the words are about, and beside whose cards they stand; absent for words about the chat. */
  readonly beside?: ColumnId;
}

/** One line in which the page speaks for itself. It is no message, and no model reads it. */
export interface GuideLine {
  /** Null in another chat. Words that are not `playing` are gone once another turn starts. */
  readonly shown: ReadonlySignal<GuideWords | null>;
  say(kind: GuideWords['kind'], text: string, beside?: ColumnId): void;
  clear(): void;
}

interface Said {
  readonly words: GuideWords;
  readonly session: AgentSession;
  /** The turn that ran, and the last one that had ended: null where there was none. */
  readonly turns: readonly (string | null)[];
}

export function createGuideLine(session: ReadonlySignal<AgentSession>): GuideLine {
  const said = signal<Said | null>(null);

  return {
    shown: computed(() => {
      if (said.value === null || said.value.session !== session.value) return null;
      const { words, turns } = said.value;
      if (words.kind === 'playing') return words;
      const { liveTurn, turns: ended } = session.value;
      const newest = liveTurn.value?.id ?? ended.value.at(-1)?.id ?? null;
      return turns.includes(newest) ? words : null;
    }),

    say(kind, text, beside) {
      const of = session.peek();
      const turns = [of.liveTurn.peek()?.id ?? null, of.turns.peek().at(-1)?.id ?? null];
      said.value = { words: { kind, text, ...(beside && { beside }) }, session: of, turns };
    },

    clear() {
      said.value = null;
    },
  };
}
