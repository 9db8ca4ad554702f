/** Calls `onInput` at each input of the user, until the returned function is called. */
export type WatchInput = (onInput: () => void) => () => void;

/** A click without a pointer is a press by a screen reader. Text may arrive without a key, by voice. */
const KINDS = ['keydown', 'pointerdown', 'click', 'input'] as const;
/** Screen readers use these keys themselves. */
const MODIFIERS: readonly string[] = ['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock'];

/**
 * Watches all input of a window, before the page gets it. Scrolling by wheel does not count. The press that
 * is pending when the watch begins does not count either: its own event has passed already, and repeats of a
 * held key are ignored.
 */
export function watchInputOf(target: EventTarget): WatchInput {
  return (onInput) => {
    const heard = (event: Event): void => {
      const { key, repeat } = event as Partial<KeyboardEvent>;
      if (repeat === true || (key !== undefined && MODIFIERS.includes(key))) return;
      onInput();
    };
    for (const kind of KINDS) target.addEventListener(kind, heard, true);
    return () => {
      for (const kind of KINDS) target.removeEventListener(kind, heard, true);
    };
  };
}
