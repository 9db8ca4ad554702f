import { AgentSessionError, effect, type AgentSession, type GivenPorts } from '@banister/session';
import { Receipts, readCommand, receiptsOf, resolvePorts } from '@banister/session/follow';
import { readSession } from './read-session.js';
import type { Transport } from './transport.js';

export interface DirectOptions {
  /** The clock of the host, and the source of its name, which is an id. Default: the clock and the ids of the platform. */
  readonly ports?: Pick<GivenPorts, 'clock' | 'ids'> | undefined;
}

/**
 * Returns a transport to a session of the same process: for tests, and for the host of a transport to other machines, which forwards
 * the items of `read` and the commands. Make a single transport for a session; any number of remote sessions may use it.
 *
 * If the session has a log, each process that opens it may host it: a command begins once, whichever of them it reaches, and the promise of a
 * turn settles with that turn. A command that a host leaves without an answer rejects with `network`, and is sent again.
 *
 * Its revision is the number of the last operation. A reader that is more than 10,000 operations behind gets a snapshot instead. The state,
 * the operations and the answers are the session's own objects: a transport to another process copies them as JSON.
 *
 * @example
 * const elsewhere = remoteSession(direct(session));
 */
export function direct(session: AgentSession, { ports }: DirectOptions = {}): Transport {
  const { clock, ids } = resolvePorts(ports);
  const host = ids.next('host');
  const receipts = new Receipts(session, { host });
  return {
    async *read(after, signal) {
      for await (const item of readSession(session, after, signal)) yield { ...item, now: clock.now(), host };
    },
    async command(message) {
      const command = readCommand(message);
      if (command === undefined)
        throw new AgentSessionError('invalid-input', 'This is not a command of a session.');
      if (!session.link.peek().open) await opened(session);
      // The log of a session knows the commands of all its owners.
      const receipt = await (receiptsOf(session) ?? receipts).receiptOf(command);
      return { ...receipt, revision: session.state.sequence };
    },
  };
}

/** Resolves when the session has read its log, or is over. */
function opened({ link, operations$ }: AgentSession): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (link.value.open) end();
    });
    const subscription = operations$.subscribe({ complete: end });
    function end(): void {
      resolve();
      queueMicrotask(() => {
        stop();
        subscription.unsubscribe();
      });
    }
  });
}
