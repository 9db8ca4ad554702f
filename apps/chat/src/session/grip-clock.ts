import type { AgentSession, Confirmation } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';

/**
 * The time beside the words of the grip: how long the turn has run, how long the answer may take, or when a
 * request is tried again. It is not read out.
 */
export function createGripClock(
  session: ReadonlySignal<AgentSession>,
  isHeld: ReadonlySignal<boolean>,
): ReadonlySignal<string> {
  let timer: ReturnType<typeof setInterval> | undefined;
  const ticks = signal(0, {
    watched: () => void (timer = setInterval(() => ticks.value++, 1000)),
    unwatched: () => clearInterval(timer),
  });
  /** When this page first saw the running turn. */
  let seen: { readonly id: string; readonly at: number } | null = null;
  const liveId = computed(() => session.value.liveTurn.value?.id ?? null);
  const isIdle = computed(
    () => session.value.phase.value === 'idle' || session.value.phase.value === 'reviewing',
  );
  /** The remaining time of each request whose deadline stands still, in milliseconds. */
  const left = new Map<string, number>();
  const leftOf = ({ id, expiresAt, attended }: Waiting, time: number): number => {
    // With “Wait”, the clock shows the deadline after the wait.
    if (attended !== true || isHeld.value) left.set(id, (expiresAt ?? Infinity) - time);
    return left.get(id) ?? Infinity;
  };
  return computed(() => {
    const id = liveId.value;
    if (id === null || isIdle.value || session.value.interrupted.value !== null) return '';
    if (seen?.id !== id) seen = { id, at: Date.now() };
    // The words change at each tick, and between ticks when the session changes.
    void ticks.value;
    const time = Date.now();
    const waiting = session.value.pendingConfirmations.value;
    if (waiting.length > 0) {
      const least = Math.min(...waiting.map((request) => leftOf(request, time)));
      return least === Infinity ? '' : `${clockWords(least)} left, then no`;
    }
    left.clear();
    const limit = session.value.pendingExtension.value;
    if (limit !== null)
      return limit.expiresAt === null ? '' : `${clockWords(limit.expiresAt - time)} left, then it ends`;
    const next = session.value.pendingRetry.value;
    if (next !== null) return `in ${Math.max(0, Math.ceil((next.at - time) / 1000))} s`;
    const seconds = Math.floor((time - seen.at) / 1000);
    return seconds < 1 ? '' : `${seconds} s`;
  });
}

/** A request with its deadline. The deadline stands still while the user works on it. */
type Waiting = Pick<Confirmation, 'id' | 'expiresAt' | 'attended'>;

/** Returns a time as a clock shows it: "1:48" */
export function clockWords(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
