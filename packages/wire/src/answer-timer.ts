import { AgentSessionError, type Clock } from '@banister/provider';
import type { AnswerLimits } from './answer-limits.js';

/** Measures the time of one request, from sending it to the end of its answer. */
export interface AnswerTimer {
  /** The error of the limit that was exceeded; null if no limit was exceeded. */
  readonly failure: AgentSessionError | null;
  /** Called when the status arrives. */
  answered(): void;
  /** Called when a read of the body begins: silence counts from now on. */
  waiting(): void;
  /** Called when bytes arrive. */
  heard(): void;
  /** Cancels the timer. */
  stop(): void;
}

/** If a timer fires this many milliseconds late, its tab or its machine was asleep. */
const OVERSLEPT = 1_000;
/**
 * The time in milliseconds after a sleep in which no limit applies, so that bytes that arrived during the
 * sleep can be read.
 */
const GRACE = 2_000;

/**
 * Starts to measure a request. One timer is set to the next moment at which a limit could be exceeded,
 * because a reset with every chunk would cost more than the chunk.
 *
 * @param onFailure called once, when a limit is exceeded
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
  /** The start of the current silence; null while the body is not being read. */
  let silentSince: number | null = clock.now();

  const allowed = (): number => (hasBytes ? idleTimeoutMs : firstEventTimeoutMs);

  const fail = (error: AgentSessionError): void => {
    failure = error;
    onFailure(error);
  };
  const check = (due: number): void => {
    const now = clock.now();
    if (now - due > OVERSLEPT) return set(now + GRACE);
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
      // `idleTimeoutMs` applies from now on. It may end before the time to which the timer is set.
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
