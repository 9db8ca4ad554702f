import type { JsonObject } from '@banister/session';
import type { LoadedLog, LogRecord } from '@banister/session/log';

/**
 * Connects to a session that runs elsewhere. A transport does not reconnect by itself: if it cannot continue, `read` throws and `command`
 * rejects, and the remote session calls them again.
 *
 * If a transport throws an `AgentSessionError`, `connectionError` is this error. Its `retry` counts: with `never` or `after-action`, for
 * example for `auth`, the commands concerned reject with the error, because the same call would fail again; with `afterMs` the next
 * attempt waits that long.
 */
export interface Transport {
  /**
   * Reads the log of the session after a revision. The first item comes as soon as the connection works: a snapshot, the next record, or a
   * sign of life. Ends when `signal` aborts. If it ends without an error, the log is read again from the last revision: at once if the
   * stream brought an item, otherwise after a pause, as after a failure. A stream that ends within 250 ms and brings nothing new is
   * followed by a pause too.
   *
   * @param after the reader's revision; 0 for none
   */
  read(after: number, signal: AbortSignal): AsyncIterable<TransportItem>;
  /**
   * Sends a command to the session, and resolves with its answer when the command has ended. Rejects if there is no answer; the command may
   * have arrived all the same. It is then sent again with the same id, and the host answers it once. If the answer has a `revision`, the
   * promise of the command settles after that revision was read, so that the state contains its operations.
   *
   * @param signal aborts when the remote session is disposed: the answer is not needed any more
   */
  command(command: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/** An item that a transport reads, as JSON. */
export type TransportItem = (LogRecord | LogSnapshot | SignOfLife) & {
  /** The host's time, in milliseconds since the epoch, for showing deadlines in local time. Default: the clocks are the same. */
  readonly now?: number | undefined;
  /**
   * The name of the host, which changes with each start of the host. If the session has no log, a command that was sent to a host is not
   * begun by the next host, because the first host may have begun it: it rejects with `interrupted`. Default: always the same host.
   */
  readonly host?: string | undefined;
};

/** The state at a revision. The next record has the following revision. */
export interface LogSnapshot extends Pick<LoadedLog, 'snapshot' | 'revision'> {
  /** The records between the snapshot and the revision. Default: none, because the snapshot has the revision. */
  readonly records?: LoadedLog['records'] | undefined;
  readonly damage?: LoadedLog['damage'];
}

/** Nothing new: the connection works, and the reader has everything. */
export interface SignOfLife {
  readonly alive: true;
}
