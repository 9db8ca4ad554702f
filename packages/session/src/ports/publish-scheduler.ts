/**
 * Decides when signals publish while deltas and progress arrive. Everything else publishes at once, whatever the
 * scheduler.
 */
export interface PublishScheduler {
  /** Calls `publish` once, soon; returns the function that takes the appointment back. */
  schedule(publish: () => void): () => void;
}

/** A hidden tab gets no frames; text must still arrive there. Milliseconds. */
const HIDDEN_TAB_INTERVAL = 100;
/** One frame at 60 Hz, where there is no frame clock. Milliseconds. */
const FRAME = 16;

/** Publishes once a frame: `requestAnimationFrame` raced with a 100 ms timer, or a 16 ms timer without a frame clock. */
export function frames(): PublishScheduler {
  return pageFrames;
}

const pageFrames: PublishScheduler = {
  schedule(publish) {
    if (typeof requestAnimationFrame !== 'function') {
      const timer = setTimeout(publish, FRAME);
      return () => clearTimeout(timer);
    }
    const cancel = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
    const first = () => {
      cancel();
      publish();
    };
    const frame = requestAnimationFrame(first);
    const timer = setTimeout(first, HIDDEN_TAB_INTERVAL);
    return cancel;
  },
};

/** Publishes every operation at once. For tests, and for readers that want each delta. */
export function immediate(): PublishScheduler {
  return {
    schedule(publish) {
      publish();
      return () => {};
    },
  };
}
