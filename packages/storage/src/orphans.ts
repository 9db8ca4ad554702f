import { Bell } from './bell.js';
import type { Head } from './log-head.js';
import type { MemoryClock } from './memory-session.js';
import type { SignsOfLife } from './signs-of-life.js';

/** The interval between two looks at the leases of sessions with open work, in milliseconds. */
const LOOK_MS = 1_000;

interface OrphanParts {
  /** Reads the head of every session whose work is open, and maybe heads of other sessions. */
  heads(): Promise<readonly Head[]>;
  /** Without timers, only the sessions of the first look are found. */
  readonly clock: MemoryClock;
  /** The signs of life of writers; null if leases expire instead. */
  readonly signs: SignsOfLife | null;
}

/** Yields the orphans of a log, see `SessionLog.orphans`: looks at the heads at an interval. */
export async function* orphansOf(
  { heads, clock, signs }: OrphanParts,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  const isAlone = async ({ id, holder }: Head): Promise<boolean> => {
    if (holder === null) return true;
    if (holder.until !== null) return clock.now() >= holder.until;
    return signs !== null && !(await signs.isShown(id, holder.owner));
  };
  /** The epochs of the orphans at the last look. */
  let before = new Map<string, number>();
  while (!signal.aborted) {
    const now = new Map<string, number>();
    for (const head of await heads()) {
      const { id, epoch, open } = head;
      if (open !== true || !(await isAlone(head))) continue;
      now.set(id, epoch);
      if (before.get(id) === epoch) continue;
      if (signal.aborted) return;
      yield id;
    }
    before = now;
    const bell = new Bell();
    const stopTimer = clock.schedule?.(() => bell.ring(), LOOK_MS);
    await bell.wait(signal);
    stopTimer?.();
  }
}
