import { signal, type ReadonlySignal } from '@banister/session/signals';

/** A text that the user edits in its place: a sent or a queued message. */
export interface EditedText {
  /** The id of the turn or the queued message that it belongs to. */
  readonly id: string;
  readonly text: string;
}

/** At most one text is edited at a time. */
export interface TextEdit {
  readonly current: ReadonlySignal<EditedText | null>;
  begin(id: string, text: string): void;
  write(text: string): void;
  end(): void;
}

export function createTextEdit(): TextEdit {
  const current = signal<EditedText | null>(null);
  return {
    current,
    begin(id, text) {
      current.value = { id, text };
    },
    write(text) {
      const edited = current.peek();
      if (edited) current.value = { ...edited, text };
    },
    end() {
      current.value = null;
    },
  };
}
