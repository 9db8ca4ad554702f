import { deferred } from './deferred.js';

/** A point at which a double waits until the test lets it go on. */
export interface Gate {
  readonly type: 'gate';
  readonly isOpen: boolean;
  /** Resolves when the first passer stands at the gate. */
  readonly reached: Promise<void>;
  /** For doubles: resolves once the gate is open. */
  pass(): Promise<void>;
  /** Resolves every waiting `pass()`, and later ones at once. */
  open(): void;
}

/**
 * Makes a gate, closed at first. Put it between the events of an answer, or into a tool, to decide when things go on.
 *
 * @example
 * const more = gate();
 * const provider = scriptedProvider([say(['Hel', more, 'lo'])]);
 * const session = createAgentSession({ provider });
 * void session.send('Hi');
 * await more.reached; // 'Hel' has arrived, 'lo' has not
 * more.open();
 */
export function gate(): Gate {
  const arrival = deferred();
  const opening = deferred();
  let isOpen = false;
  return {
    type: 'gate',
    get isOpen() {
      return isOpen;
    },
    reached: arrival.promise,
    pass() {
      arrival.resolve();
      return opening.promise;
    },
    open() {
      isOpen = true;
      opening.resolve();
    },
  };
}
