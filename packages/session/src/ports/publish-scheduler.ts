/**
 * Paces publications while deltas, progress and usage arrive: the first one is published at once and opens a frame,
 * those that follow are published at its end. Everything else is published at once, whatever the scheduler.
 */
export interface PublishScheduler {
  /**
   * Calls `endFrame` once, at the end of the frame that begins now. Returns a function that takes the appointment back;
   * the session calls it when the turn ends before the frame.
   */
  schedule(endFrame: () => void): () => void;
}

/** The longest frame: a hidden tab gets no animation frames, and must go on. Milliseconds. */
const HIDDEN_TAB_INTERVAL = 100;
/** One frame at 60 Hz, where there is no frame clock. Milliseconds. */
const FRAME = 16;

/**
 * The default scheduler. A frame ends with the next `requestAnimationFrame`, or after 100 ms where none comes (a hidden
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
