import { effect, untracked, type ReadonlySignal } from './signals-core.js';

/**
 * Calls `onChange` after each change of a signal, until the returned function is called. The value is not passed: a view reads it when it
 * renders, and if the signal cannot be computed, the error is thrown there.
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
      // The error is thrown again when the view reads the signal. If it were thrown here, the effect would end, and miss every later
      // change.
    }
    if (isFirst) isFirst = false;
    else untracked(onChange);
  });
}
