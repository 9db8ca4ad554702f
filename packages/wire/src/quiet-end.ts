import type { Clock } from '@banister/provider';
import type { OpenAnswer } from './read-batches.js';

/** Bounds the wait for the end of one answer. */
interface QuietEnd {
  /** True if the wait ran out and the connection was closed. */
  readonly isReached: boolean;
  /** Called after each batch of events. */
  heard(progress: AnswerProgress): void;
  stop(): void;
}

/**
 * The longest wait, in milliseconds, for the end of a response whose answer is complete. A response that
 * ended leaves its connection reusable.
 */
const LAST_BYTES_TIME = 250;
/**
 * The longest wait, in milliseconds, for further pieces after a stated end. Token counts may follow, and some
 * servers state an end with every piece. Comments, pings, token counts and empty events are not pieces and do
 * not prolong the wait.
 */
const QUIET_TIME = 3_000;

/** Bounds the wait after the stated end of an answer, if the connection stays open. */
export function createQuietEnd({ clock, watch, stream }: ClosableAnswer): QuietEnd {
  let seen = -1;
  let stop = (): void => {};
  const quiet = {
    isReached: false,
    heard({ isStated, isOver, pieces }: AnswerProgress) {
      const progress = isOver ? Infinity : pieces;
      if (!(isStated || isOver) || seen === progress) return;
      seen = progress;
      stop();
      stop = clock.schedule(
        () => {
          quiet.isReached = true;
          watch?.stop();
          stream.controller.abort();
        },
        isOver ? LAST_BYTES_TIME : QUIET_TIME,
      );
    },
    stop: () => stop(),
  };
  return quiet;
}

/** An answer whose connection can be closed. */
export interface ClosableAnswer extends OpenAnswer {
  readonly stream: AsyncIterable<unknown> & { readonly controller: AbortController };
  readonly clock: Clock;
}

/** How far an answer has arrived, as its reader knows. */
export interface AnswerProgress {
  /** Whether the server stated the end of the answer. */
  readonly isStated: boolean;
  /** True after the last event that can belong to the answer. */
  readonly isOver: boolean;
  /** The number of events so far that hold a part of the answer. */
  readonly pieces: number;
}
