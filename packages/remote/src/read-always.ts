import type { AgentSessionError } from '@banister/session';
import type { Clock } from '@banister/provider';
import type { LoadedLog, LogRecord } from '@banister/session/log';
import { isLogGone, recordVersion, toSessionError } from '@banister/session/follow';
import type { Connection } from './connection.js';
import type { Host } from './host.js';
import type { Pause } from './pause.js';
import type { Transport, TransportItem } from './transport.js';

/** If a stream brings nothing new and ends within this time, in milliseconds, a pause follows. */
const SHORT_MS = 250;

export interface ReadParts {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly connection: Connection;
  readonly host: Host;
  readonly pause: Pause;
  /** Called with the last revision after each item, and with Infinity when reading has ended. */
  read(revision: number): void;
}

/**
 * Reads a log over a transport that may fail. After each end it continues after the last revision: at once if the stream brought an item and
 * ended without an error, otherwise after a pause. Ends when `signal` aborts; throws only if the log is gone.
 */
export async function* readAlways(
  { clock, transport, connection, host, pause, read }: ReadParts,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<LogRecord | LoadedLog, void, void> {
  let revision = after;
  /** The revision at the last stream that ended without an error. */
  let revisionBefore = -1;
  while (!signal.aborted) {
    let failure: AgentSessionError | null = null;
    let hasItem = false;
    const started = clock.now();
    host.measureAgain();
    try {
      for await (const item of transport.read(revision, signal)) {
        if (signal.aborted) return;
        if (host.note(item) && 'alive' in item) {
          // Another host may have another session with the same number of operations: read from the start.
          revision = 0;
          break;
        }
        yield logItemOf(item);
        revision = revisionOf(item, revision);
        hasItem = true;
        pause.reset();
        connection.read();
        read(revision);
      }
    } catch (error) {
      failure = toSessionError(error, 'network', 'The session cannot be reached.');
    }
    if (signal.aborted) return;
    // Without the pause, a host that ends each stream after a sign of life would be asked in a loop.
    const isUseful = revision > revisionBefore || clock.now() - started >= SHORT_MS;
    if (failure === null && hasItem && isUseful) {
      revisionBefore = revision;
      continue;
    }
    read(Infinity);
    connection.readingEnded(failure);
    if (isLogGone(failure)) throw failure;
    await pause.wait(failure, signal);
  }
}

/** Returns an item in the form of the log. A sign of life becomes a record that every reader already has. */
function logItemOf(item: TransportItem): LogRecord | LoadedLog {
  if ('alive' in item) return { version: recordVersion([]), revision: 0, epoch: 0, operations: [] };
  return 'snapshot' in item ? { records: [], ...item } : item;
}

/** Returns the reader's revision after an item. */
function revisionOf(item: TransportItem, before: number): number {
  if ('alive' in item) return before;
  // A record may be repeated; a snapshot may be older, if the log was replaced.
  return 'snapshot' in item ? item.revision : Math.max(item.revision, before);
}
