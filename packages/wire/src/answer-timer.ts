import { AgentSessionError, type Clock } from '@handrail/session/provider';
import type { AnswerLimits } from './answer-limits.js';

/** Watches the time of one request, from sending it to the end of its answer. */
export interface AnswerTimer {
  /** What time ran out of; null while it has not. */
  readonly failure: AgentSessionError | null;
  /** The server has begun to answer, though nothing of the body came yet. */
  answered(): void;
  /** Somebody waits for bytes from now on. */
  waiting(): void;
  /** Bytes came. */
  heard(): void;
  /** Takes the timer back. */
  stop(): void;
}

/** A timer that fires this many milliseconds late was asleep with its tab or its machine. */
const OVERSLEPT = 1_000;
/** How long bytes that came meanwhile have to be read, in milliseconds, before anything is called silent. */
const GRACE = 2_000;

/**
 * Starts the time of a request. There is one timer, set to the next moment at which anything could have run out: a reset for
 * every chunk would cost more than the chunk.
 *
 * @param onFailure called once when time ran out
 */
export function createAnswerTimer(
  limits: Required<AnswerLimits>,
  clock: Clock,
  onFailure: (failure: AgentSessionError) => void,
): AnswerTimer {
  const { firstEventTimeoutMs, idleTimeoutMs, answerTimeoutMs } = limits;
  const deadline = clock.now() + answerTimeoutMs;
  let failure: AgentSessionError | null = null;
  let hasStatus = false;
  let hasBytes = false;
  /** Since when the server owes something; null while nobody waits for it. */
  let silentSince: number | null = clock.now();

  const allowed = (): number => (hasBytes ? idleTimeoutMs : firstEventTimeoutMs);

  const fail = (error: AgentSessionError): void => {
    failure = error;
    onFailure(error);
  };
  const check = (appointed: number): void => {
    const now = clock.now();
    if (now - appointed > OVERSLEPT) return set(now + GRACE);
    const silentUntil = (silentSince ?? now) + allowed();
    if (now >= deadline) fail(tookTooLong(answerTimeoutMs));
    else if (silentSince !== null && now >= silentUntil) fail(silent(allowed(), hasStatus, hasBytes));
    else set(Math.min(silentUntil, deadline));
  };
  const set = (at: number): void => {
    if (!isStopped) cancel = clock.schedule(() => check(at), at - clock.now());
  };
  let cancel = (): void => {};
  let isStopped = false;
  set(Math.min(clock.now() + firstEventTimeoutMs, deadline));

  return {
    get failure() {
      return failure;
    },
    answered() {
      hasStatus = true;
    },
    waiting() {
      silentSince ??= clock.now();
    },
    heard() {
      silentSince = null;
      if (hasBytes) return;
      hasBytes = true;
      // The silence that is allowed from now on may be shorter than what the timer is set to.
      cancel();
      set(Math.min(clock.now() + idleTimeoutMs, deadline));
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

function silent(afterMs: number, hasStatus: boolean, hasBytes: boolean): AgentSessionError {
  const details = { limit: hasBytes ? 'idleTimeoutMs' : 'firstEventTimeoutMs', afterMs };
  return hasStatus
    ? new AgentSessionError('interrupted', `The server fell silent for ${seconds(afterMs)}.`, { details })
    : new AgentSessionError('network', `The server did not answer within ${seconds(afterMs)}.`, { details });
}

function tookTooLong(afterMs: number): AgentSessionError {
  const message = `The answer was not complete after ${seconds(afterMs)}.`;
  return new AgentSessionError('interrupted', message, { details: { limit: 'answerTimeoutMs', afterMs } });
}

function seconds(ms: number): string {
  return ms === 1_000 ? 'a second' : `${ms / 1_000} seconds`;
}
