import type { AgentSession } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import type { ColumnId } from '../board/board.js';

/** Words of the page itself, beside the agent's words. */
export interface GuideWords {
  /** `playing` during a scenario, `yours` at its end, `answer` to a typed command. */
  readonly kind: 'playing' | 'yours' | 'answer';
  readonly text: string;
  /**
   * The column that the words are about; the words are shown beside its cards. Absent for words about the
   * chat.
   */
  readonly beside?: ColumnId;
}

/** One line in which the page itself speaks. It is not a message, and no model reads it. */
export interface GuideLine {
  /** Null in another chat. When another turn starts, words that are not `playing` disappear. */
  readonly shown: ReadonlySignal<GuideWords | null>;
  say(kind: GuideWords['kind'], text: string, beside?: ColumnId): void;
  clear(): void;
}

interface Said {
  readonly words: GuideWords;
  readonly session: AgentSession;
  /** The running turn, and the last turn that had ended; null if there was none. */
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
