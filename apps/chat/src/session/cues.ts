import { signal, type ReadonlySignal } from '@banister/session/signals';

/**
 * The element that should get the focus next. An element has its name in `data-focus`. If there are several
 * names, the first element that can take the focus counts.
 */
export interface FocusWish {
  readonly names: readonly string[];
}

/** What a command does beside drawing: it moves the focus, and says words to a screen reader. */
export interface Cues {
  readonly wish: ReadonlySignal<FocusWish | null>;
  readonly spoken: ReadonlySignal<string>;
  /** For a command that replaces or moves the focused element. */
  focus(...names: readonly string[]): void;
  /** Reads words out, even if they equal the last words. */
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
      // The same text again would not change its element, so an invisible character is added.
      spoken.value = words !== '' && words === spoken.peek() ? `${words}\u00A0` : words;
    },
  };
}
