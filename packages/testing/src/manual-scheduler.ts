import type { PublishScheduler } from '@banister/session';

/** A frame clock that a test controls. */
export interface ManualScheduler extends PublishScheduler {
  /** Whether a frame is open. */
  readonly scheduled: boolean;
  /** Ends the open frame: waiting changes are published. Changes scheduled during the frame wait for the next frame. */
  frame(): void;
}

/**
 * A publish scheduler whose frames the test ends, to see what a view shows between two frames. The first delta after a quiet frame is
 * published at once; it opens the frame for which later deltas wait.
 *
 * @example
 * const scheduler = createManualScheduler();
 * const session = createAgentSession({ provider, ports: { scheduler } });
 * void session.send('Hi');
 * await settle();
 * console.log(session.currentText.value); // 'Hel', though 'Hello' has arrived
 * scheduler.frame();
 * console.log(session.currentText.value); // 'Hello'
 */
export function createManualScheduler(): ManualScheduler {
  let waiting = new Set<() => void>();
  return {
    schedule(publish) {
      // A new function each time, so that `publish` can be scheduled twice and cancelled once.
      const appointment = () => publish();
      const calendar = waiting.add(appointment);
      return () => void calendar.delete(appointment);
    },
    get scheduled() {
      return waiting.size > 0;
    },
    frame() {
      const due = waiting;
      waiting = new Set();
      // The set is iterated live: if a function cancels a later function, that function is not called.
      for (const appointment of due) {
        due.delete(appointment);
        appointment();
      }
    },
  };
}
