import { allCallsOf, textOf, type AgentSession, type TurnRecord } from '@banister/session';
import { computed, type ReadonlySignal } from '@banister/session/signals';
import { cardsOf, columnTitle, type Columns } from '../board/board.js';
import { offersFor } from '../offline/offers.js';
import { FROM_MEMORY } from '../memory/memory-words.js';
import { visibleText } from '../text/visible-text.js';
import { isReading } from './tool-verbs.js';

/** Messages to choose from, below an answer of the rules that did not understand a message. */
export interface CommandOffers {
  /** The shown messages; empty if there is nothing to choose. */
  readonly shown: ReadonlySignal<readonly string[]>;
  /** Sends the message. */
  take(text: string): void;
}

interface CommandOffersOptions {
  readonly session: ReadonlySignal<AgentSession>;
  /** Returns whether the rules answer. */
  readonly isRules: () => boolean;
  readonly columns: ReadonlySignal<Columns>;
  say(message: string): void;
}

export function createCommandOffers({ session, isRules, columns, say }: CommandOffersOptions): CommandOffers {
  const message = computed(() => {
    const { turns, isRunning } = session.value;
    const last = turns.value.at(-1);
    return last === undefined || isRunning.value || !isRules() || !isAnswered(last)
      ? null
      : textOf(last.input);
  });
  const shown = computed(() => {
    if (message.value === null) return none;
    const all = columns.value;
    const cards = cardsOf(all).map(({ card: { title }, place }) => ({
      title,
      column: columnTitle(all, place.column),
    }));
    const offers = offersFor(message.value, cards);
    return offers.length === 0 ? none : offers.filter((text) => visibleText(text) === text);
  });
  return { shown, take: say };
}

const none: readonly string[] = [];

/** Returns whether a turn ended with text, requested no change, and did not answer from what is remembered, or a task. */
function isAnswered(turn: TurnRecord): boolean {
  return (
    turn.status === 'completed' &&
    turn.structured === undefined &&
    turn.from === undefined &&
    allCallsOf(turn).every(({ tool }) => isReading(tool)) &&
    !turn.rounds.at(-1)?.parts.some((part) => part.type === 'text' && part.text.startsWith(FROM_MEMORY))
  );
}
