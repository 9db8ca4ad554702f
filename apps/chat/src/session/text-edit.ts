import { signal, type ReadonlySignal } from '@banister/session/signals';

/** A text that the user changes in its place: a message that was sent, or one that waits. */
export interface EditedText {
  /** The id of the turn or the item that it belongs to. */
  readonly id: string;
  readonly text: string;
}

/** At most one text is changed at a time. */
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
