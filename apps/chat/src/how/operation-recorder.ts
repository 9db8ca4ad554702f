import { effect, type AgentSession, type Operation } from '@banister/session';
import { signal, type ReadonlySignal } from '@banister/session/signals';
import type { Clock } from '@banister/provider';
import { jobOf, type Job } from './code-lines.js';

/** How many operations of a session are kept. The stream itself is not limited. */
const KEPT = 200;
/** The shortest time between two updates of the record, in milliseconds. */
const INTERVAL = 100;
/** How long a step stays lit, in milliseconds. */
const LIGHT = 1_000;

/**
 * An operation, and the task of the app to which it belongs. If its type names no task, it belongs to the
 * task before it.
 */
export interface RecordedStep {
  readonly operation: Operation;
  readonly job: Job | null;
  /** Whether the step is one of the newest. Its row and the code lines of its task light up together. */
  readonly isLit: boolean;
}

/** What was recorded of a session after the page began to show it. */
export interface SessionRecord {
  /** The last steps, oldest first. */
  readonly steps: readonly RecordedStep[];
  readonly operations: number;
  /** How often signals changed. Everything that arrives within a frame is published once. */
  readonly publications: number;
  readonly lit: ReadonlySet<Job>;
}

/** Records every session that the page shows, from its start. It does not affect a session. */
export interface OperationRecorder {
  /** The record of the session that is shown. It changes at most ten times a second. */
  readonly current: ReadonlySignal<SessionRecord>;
  stop(): void;
}

const empty: SessionRecord = { steps: [], operations: 0, publications: 0, lit: new Set() };

/** The record of one session. Steps are appended in place, because deltas arrive many times a second. */
interface Tape {
  readonly steps: { readonly operation: Operation; readonly job: Job | null; readonly at: number }[];
  operations: number;
  publications: number;
}

/** @param clock its time is used for the light, its timers for the record */
export function createOperationRecorder(
  session: ReadonlySignal<AgentSession>,
  clock: Pick<Clock, 'now' | 'schedule'>,
): OperationRecorder {
  const current = signal(empty);
  const tapes = new Map<AgentSession, { readonly tape: Tape; readonly stop: () => void }>();
  let cancelTimer: (() => void) | null = null;

  const show = (): void => {
    cancelTimer = null;
    const of = session.peek();
    const tape = tapes.get(of)?.tape;
    current.value = tape ? recordOf(tape, clock.now(), of.isRunning.peek()) : empty;
    // The light has to go out although no operation arrives.
    if (current.peek().lit.size > 0) showLater();
  };
  const showLater = (): void => {
    cancelTimer ??= clock.schedule(show, INTERVAL);
  };
  const record = (of: AgentSession): void => {
    if (tapes.has(of)) return;
    const tape: Tape = { steps: [], operations: 0, publications: 0 };
    const subscription = of.operations$.subscribe({
      next(operation) {
        append(tape, operation, clock.now());
        showLater();
      },
      // A closed session is never shown again.
      complete: () => void forget(of),
    });
    // The effect runs once for each batch in which one of these signals changed, which is one publication.
    const stopCounting = effect(() => {
      void of.phase.value;
      void of.liveTurn.value;
      void of.turns.value;
      tape.publications++;
    });
    tape.publications = 0;
    tapes.set(of, {
      tape,
      stop() {
        subscription.unsubscribe();
        stopCounting();
      },
    });
  };
  const forget = (of: AgentSession): void => {
    tapes.get(of)?.stop();
    tapes.delete(of);
  };

  const stopFollowing = effect(() => {
    record(session.value);
    showLater();
  });

  return {
    current,
    stop() {
      stopFollowing();
      cancelTimer?.();
      cancelTimer = null;
      for (const of of [...tapes.keys()]) forget(of);
    },
  };
}

function append(tape: Tape, operation: Operation, at: number): void {
  tape.operations++;
  tape.steps.push({ operation, job: jobOf(operation.type) ?? tape.steps.at(-1)?.job ?? null, at });
  // Removed in blocks, because moving all steps at each delta would cost more than everything else.
  if (tape.steps.length >= 2 * KEPT) tape.steps.splice(0, tape.steps.length - KEPT);
}

function recordOf({ steps, operations, publications }: Tape, now: number, isRunning: boolean): SessionRecord {
  const shown = steps.slice(-KEPT);
  const recorded = shown.map(({ operation, job, at }, index): RecordedStep => {
    // While a turn waits, its last step stays lit.
    const isLit = now - at < LIGHT || (isRunning && index === shown.length - 1);
    return { operation, job, isLit };
  });
  const lit = new Set(recorded.flatMap(({ isLit, job }) => (isLit && job !== null ? [job] : [])));
  return { steps: recorded, operations, publications, lit };
}
