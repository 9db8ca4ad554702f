import { effect, untracked, type ReadonlySignal } from './signals-core.js';

/**
 * Calls `onChange` after each change of a signal, until the returned function is called. It does not hand over the value:
 * a view reads it when it renders, and then meets the error too if the signal cannot be computed.
 *
 * @example
 * const stop = follow(session.currentText, () => requestRender());
 */
export function follow(signal: ReadonlySignal<unknown>, onChange: () => void): () => void {
  let isFirst = true;
  return effect(() => {
    try {
      void signal.value;
    } catch {
      // The view meets it when it reads. Thrown here it would end this effect, and the view would never hear of it.
    }
    if (isFirst) isFirst = false;
    else untracked(onChange);
  });
}
