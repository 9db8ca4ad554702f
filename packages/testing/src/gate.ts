import { deferred } from './deferred.js';

/** A point at which a double waits until the test opens it. */
export interface Gate {
  readonly type: 'gate';
  readonly isOpen: boolean;
  /** Resolves when something first waits at the gate. */
  readonly reached: Promise<void>;
  /** For doubles: resolves once the gate is open. */
  pass(): Promise<void>;
  /** Resolves every waiting `pass()`; later calls resolve at once. */
  open(): void;
}

/**
 * Creates a closed gate. Put it between the pieces of an answer, or into a tool, to decide when they continue.
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
