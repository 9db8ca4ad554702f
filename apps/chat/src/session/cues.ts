import { signal, type ReadonlySignal } from '@banister/session/signals';

/**
 * The element that is to have the focus next. An element has its name in `data-focus`. Of several names, the first whose element
 * can take the focus counts.
 */
export interface FocusWish {
  readonly names: readonly string[];
}

/** The effects of a command beside the drawing: the focus that it moves, and the words for a screen reader. */
export interface Cues {
  readonly wish: ReadonlySignal<FocusWish | null>;
  readonly spoken: ReadonlySignal<string>;
  /** For a command that replaces or moves the element with the focus. */
  focus(...names: readonly string[]): void;
  /** Reads these words out, also where they are those that were read out last. */
  say(words: string): void;
}

export function createCues(): Cues {
  const wish = signal<FocusWish | null>(null);
  const spoken = signal('');
  return {
    wish,
    spoken,
    focus(...names) {
      wish.value = { names };
    },
    say(words) {
      // The same text once more would be no change of its element.
      spoken.value = words !== '' && words === spoken.peek() ? `${words}\u00A0` : words;
    },
  };
}
