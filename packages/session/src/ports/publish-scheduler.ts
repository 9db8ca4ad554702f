/**
 * Paces the publication of deltas, progress and usage: the first change is published at once and opens a frame, those that
 * follow are published at its end. Every other change is published at once, with each scheduler.
 */
export interface PublishScheduler {
  /**
   * Calls `endFrame` once, at the end of the frame that begins now. Returns the function that cancels this call; the session
   * calls it when the turn ends before the frame.
   */
  schedule(endFrame: () => void): () => void;
}

/** The longest frame, in milliseconds: a hidden tab gets no animation frames, and must be updated all the same. */
const HIDDEN_TAB_INTERVAL = 100;
/** One frame at 60 Hz, in milliseconds, where there is no frame clock. */
const FRAME = 16;

/**
 * The default scheduler. A frame ends with the next `requestAnimationFrame`, or after 100 ms where there is none (a hidden
 * tab); without a frame clock, as in Node, after 16 ms.
 *
 * @example
 * const session = createAgentSession({ provider, ports: { scheduler: frames() } });
 */
export function frames(): PublishScheduler {
  return pageFrames;
}

const pageFrames: PublishScheduler = {
  schedule(endFrame) {
    if (typeof requestAnimationFrame !== 'function') {
      const timer = setTimeout(endFrame, FRAME);
      return () => clearTimeout(timer);
    }
    const cancel = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
    const first = () => {
      cancel();
      endFrame();
    };
    const frame = requestAnimationFrame(first);
    const timer = setTimeout(first, HIDDEN_TAB_INTERVAL);
    return cancel;
  },
};

/**
 * Publishes every operation at once. For tests, and for readers that want each delta.
 *
 * @example
 * const session = createAgentSession({ provider, ports: { scheduler: immediate() } });
 */
export function immediate(): PublishScheduler {
  return {
    schedule(endFrame) {
      endFrame();
      return () => {};
    },
  };
}
