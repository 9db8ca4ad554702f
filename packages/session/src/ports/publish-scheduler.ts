/**
 * Decides when deltas, progress and usage are published. The first change is published at once and starts a frame; changes during the frame
 * are published at its end. Every other kind of change is published at once, with any scheduler.
 */
export interface PublishScheduler {
  /**
   * Calls `endFrame` once, at the end of the frame that starts now. Returns a function that cancels the call; the session uses it if the
   * turn ends before the frame.
   */
  schedule(endFrame: () => void): () => void;
}

/** The longest frame, in milliseconds. A hidden tab gets no animation frames, but must still be updated. */
const HIDDEN_TAB_INTERVAL = 100;
/** One frame at 60 Hz, in milliseconds, for platforms without `requestAnimationFrame`. */
const FRAME = 16;

/**
 * Returns the default scheduler. A frame ends with the next `requestAnimationFrame`; if none comes, as in a hidden tab, after 100 ms. On
 * platforms without `requestAnimationFrame`, such as Node, it ends after 16 ms.
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
 * Returns a scheduler that publishes every operation at once. It is meant for tests, and for readers that need each delta.
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
