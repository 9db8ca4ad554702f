import type { PublishScheduler } from '@banister/session';

/** A frame clock that a test turns by hand. */
export interface ManualScheduler extends PublishScheduler {
  /** Whether a frame is open. */
  readonly scheduled: boolean;
  /** Ends the open frame: the changes that wait are published. Changes that are scheduled meanwhile wait for the next frame. */
  frame(): void;
}

/**
 * A publish scheduler whose frames the test ends, to prove what a view sees between two frames. The first delta after a
 * quiet frame is published at once; it opens the frame that the others wait for.
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
      // An appointment of its own, so that the same function can be scheduled twice and taken back once.
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
      // Iterated live: what an earlier appointment takes back does not come.
      for (const appointment of due) {
        due.delete(appointment);
        appointment();
      }
    },
  };
}
