import { batch, type Signal } from '@preact/signals-core';
import type { RootsOf, StoreAdapter } from './adapter.js';
import type { Plain } from './values.js';

/**
 * The adapter of signals of `@preact/signals-core`, `@preact/signals` or `@preact/signals-react`. The names become the first segment of
 * paths. Tools replace the values of the signals and do not change them in place. Do not pass computed signals.
 *
 * @example
 * const board = undoable(signalStore({ cards, filter }));
 */
export function signalStore<T extends Readonly<Record<string, Signal>>>(
  signals: T,
): StoreAdapter<RootsOf<T>> {
  const entries = Object.entries(signals);
  let last: Plain = {};
  return {
    read: () => {
      const isCurrent = entries.every(
        ([name, signal]) => name in last && Object.is(last[name], signal.peek()),
      );
      if (!isCurrent) last = Object.fromEntries(entries.map(([name, signal]) => [name, signal.peek()]));
      return last;
    },
    write: (next) =>
      batch(() => {
        for (const [name, signal] of entries) signal.value = (next as Plain)[name];
      }),
    subscribe: (changed) => {
      // `subscribe` calls `changed` immediately; that call finds no change.
      const stops = entries.map(([, signal]) => signal.subscribe(changed));
      return () => stops.forEach((stop) => stop());
    },
  };
}
