import { computed, signal, type AgentSession, type ReadonlySignal } from '@handrail/session';

/** The time beside the words of the grip: how long the turn has run, or how long an answer is waited for. It is not read out. */
export function createGripClock(session: ReadonlySignal<AgentSession>): ReadonlySignal<string> {
  let timer: ReturnType<typeof setInterval> | undefined;
  const now = signal(Date.now(), {
    watched: () => {
      now.value = Date.now();
      timer = setInterval(() => (now.value = Date.now()), 1000);
    },
    unwatched: () => clearInterval(timer),
  });
  /** When this page first saw the running turn. */
  let seen: { readonly id: string; readonly at: number } | null = null;
  const liveId = computed(() => session.value.liveTurn.value?.id ?? null);
  const isIdle = computed(
    () => session.value.phase.value === 'idle' || session.value.phase.value === 'reviewing',
  );
  const until = computed(() => {
    const times = session.value.pendingConfirmations.value.map(({ expiresAt }) => expiresAt ?? Infinity);
    return times.length === 0 ? Infinity : Math.min(...times);
  });
  return computed(() => {
    const id = liveId.value;
    if (id === null || isIdle.value || session.value.interrupted.value !== null) return '';
    if (seen?.id !== id) seen = { id, at: Date.now() };
    const time = now.value;
    if (session.value.pendingConfirmations.value.length > 0)
      return until.value === Infinity ? '' : `${clockWords(until.value - time)} left, then no`;
    const seconds = Math.floor((time - seen.at) / 1000);
    return seconds < 1 ? '' : `${seconds} s`;
  });
}

/** "1:48" */
export function clockWords(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
