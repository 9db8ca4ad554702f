import type { SessionLog } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';

/** A pending write is shown after this time, in milliseconds. */
const SLOW_MS = 1_000;

/** Returns the log, and whether one of its writes takes longer than a second. */
export function watchWrites(log: SessionLog): {
  readonly log: SessionLog;
  readonly isSlow: ReadonlySignal<boolean>;
} {
  const slow = signal(0);
  return {
    isSlow: computed(() => slow.value > 0),
    log: {
      ...log,
      async append(...args) {
        let isSlow = false;
        const timer = setTimeout(() => {
          isSlow = true;
          slow.value++;
        }, SLOW_MS);
        try {
          await log.append(...args);
        } finally {
          clearTimeout(timer);
          if (isSlow) slow.value--;
        }
      },
    },
  };
}
