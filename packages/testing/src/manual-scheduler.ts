import type { PublishScheduler } from '@handrail/session';

/** A frame clock that a test turns by hand. */
export interface ManualScheduler extends PublishScheduler {
  /** Whether something waits for the next frame. */
  readonly scheduled: boolean;
  /** The frame comes: publishes what waits for it. What is scheduled meanwhile waits for the next one. */
  frame(): void;
}

/**
 * A publish scheduler whose frames the test fires, to prove what a view sees between two frames.
 *
 * @example
 * const scheduler = createManualScheduler();
 * const session = createAgentSession({ provider, ports: { scheduler } });
 * session.send('Hello');
 * await settle();
 * console.log(session.currentText.value); // '', though the text has arrived
 * scheduler.frame();
 * console.log(session.currentText.value); // 'Hello back'
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
