import type { JsonObject, LoadedLog, LogRecord } from '@banister/session';

/**
 * The way to a session that runs elsewhere. A transport does not connect again by itself: where it cannot go on, `read` throws and `command`
 * rejects, and the remote session calls them again.
 *
 * An `AgentSessionError` that a transport throws is the reason in `connectionError`. Its `retry` counts: with `never` or `after-action`, for
 * example `auth`, the commands that it concerns reject with it, as the same call fails again; with `afterMs` the next attempt waits that long.
 */
export interface Transport {
  /**
   * Reads the log of the session from a revision on. The first item comes as soon as the connection stands: it is a snapshot, the next record, or
   * a sign of life. It ends when `signal` fires. An end without an error is no failure: the log is read again from the last revision on.
   *
   * @param after the revision that the reader has; 0 for none
   */
  read(after: number, signal: AbortSignal): AsyncIterable<TransportItem>;
  /**
   * Takes a command to the session, and resolves with its answer when the command has ended. Rejects when there is no answer: the command may
   * have arrived all the same. It is sent again then, with the same id, and the host answers it once. Where the answer has a `revision`, the promise
   * of the command settles when that was read, so that the state has its operations.
   *
   * @param signal fires when the remote session is disposed: the answer is not needed any more
   */
  command(command: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/** An item that a transport reads, as JSON. */
export type TransportItem = (LogRecord | LogSnapshot | SignOfLife) & {
  /** The time of the host, in milliseconds since the epoch: deadlines are shown in local time by it. Default: the clocks are the same. */
  readonly now?: number | undefined;
  /**
   * The name of the host, another one after each start of it. A command that was sent to one host is not begun by the next: it rejects `interrupted`,
   * since the first one may have begun it. Default: all hosts are one.
   */
  readonly host?: string | undefined;
};

/** The state at a revision; the next record has the revision after it. */
export interface LogSnapshot extends Pick<LoadedLog, 'snapshot' | 'revision'> {
  /** The records between the snapshot and the revision. Default: none, the snapshot has the revision. */
  readonly records?: LoadedLog['records'] | undefined;
  readonly damage?: LoadedLog['damage'];
}

/** Nothing new: the connection stands, and the reader has everything. */
export interface SignOfLife {
  readonly alive: true;
}
