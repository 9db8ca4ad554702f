import type { AgentSession, AgentSessionError, GivenPorts } from '@banister/session';
import type { ReadonlySignal } from '@banister/session/signals';
import type { Words } from '@banister/session/words';
import { followSession, resolvePorts } from '@banister/session/follow';
import { Connection, type ConnectionState } from './connection.js';
import { Host } from './host.js';
import { localDeadlines } from './local-deadlines.js';
import { Outbox } from './outbox.js';
import { Pause } from './pause.js';
import { readAlways } from './read-always.js';
import type { Transport } from './transport.js';

export interface RemoteOptions {
  /** The words for the user, made with `createWords` of `@banister/session/words`, for the texts in signals. Default: English. */
  readonly words?: Words | undefined;
  /** Clock, ids, random numbers and frames, for tests and special hosts. Default: those of the platform. */
  readonly ports?: Pick<GivenPorts, 'clock' | 'ids' | 'random' | 'scheduler' | 'reportError'> | undefined;
}

/** A session that runs elsewhere. */
export interface RemoteSession extends AgentSession {
  /**
   * The connection to the session: `connecting` until the session is first read; `offline` after a failure. The next attempt follows after
   * 0.25 s, doubled with each failure up to 8 s, or at once when the browser is online again. A failed connection is not an error of a turn:
   * commands wait for it. A stream that ends without an error is read on at once, and the connection stays `online`.
   *
   * @example
   * effect(() => { banner.hidden = session.connection.value !== 'offline'; });
   */
  readonly connection: ReadonlySignal<ConnectionState>;
  /** Why the connection is `offline`; otherwise null. An error that is not an `AgentSessionError` gets the code `network`. */
  readonly connectionError: ReadonlySignal<AgentSessionError | null>;
}

/**
 * Represents a session that runs elsewhere: in another tab, in another process, on a server. Its state comes from the log that the
 * transport reads, and the other side carries out its commands. A view can use it like any other session.
 *
 * The session is returned at once, empty; `link.open` is true when the session has been read. A command that starts a turn is shown at
 * once: `isRunning` is true and `phase` is `preparing`, until the first operation of the turn or its refusal. `dispose` detaches: the
 * session elsewhere continues.
 *
 * @example
 * const session = remoteSession(broadcast(indexedDbLog(), 'chat-42'));
 * effect(() => { output.textContent = session.currentText.value; });
 * await session.send('Add a card "Plan" to Todo');
 */
export function remoteSession(
  transport: Transport,
  { words, ports: given }: RemoteOptions = {},
): RemoteSession {
  const ports = resolvePorts(given);
  const connection = new Connection(ports);
  const host = new Host(ports.clock);
  const parts = { transport, connection, host };
  const outbox = new Outbox({ ...parts, pause: new Pause(ports) });
  let isFirst = true;
  const read = (revision: number) => {
    outbox.read(revision);
    if (isFirst && revision < Infinity) {
      isFirst = false;
      outbox.sendAll();
    }
  };
  const pause = new Pause(ports);
  const session = followSession({
    read: (after, signal) => readAlways({ ...parts, clock: ports.clock, pause, read }, after, signal),
    channel: outbox,
    words,
    ports,
  });
  return Object.assign(
    session,
    localDeadlines(session, () => host.skew),
    {
      connection: connection.state,
      connectionError: connection.error,
    },
  );
}
