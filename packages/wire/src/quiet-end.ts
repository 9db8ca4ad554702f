import type { Clock } from '@banister/provider';
import type { OpenAnswer } from './read-batches.js';

/** The bound of one answer. */
interface QuietEnd {
  /** True once the wait was over, and the connection was closed. */
  readonly isReached: boolean;
  /** Called behind each batch of events. */
  heard(progress: AnswerProgress): void;
  stop(): void;
}

/** How long the end of a response is waited for when its answer is over, in milliseconds: then its connection can be used again. */
const LAST_BYTES_TIME = 250;
/**
 * How long further pieces are waited for behind a stated end, in milliseconds. Token counts may follow, and some servers state an end
 * with every piece. Comments, pings, token counts and empty events are no pieces: they prolong no wait.
 */
const QUIET_TIME = 3_000;

/** Bounds the wait behind the stated end of an answer, on a connection that stays open. */
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

/** How far an answer is, as its reader knows. */
export interface AnswerProgress {
  /** Whether the server stated the end of the answer. */
  readonly isStated: boolean;
  /** True after the last event that can belong to the answer. */
  readonly isOver: boolean;
  /** How many events arrived that hold a part of the answer. */
  readonly pieces: number;
}
