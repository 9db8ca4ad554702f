import type { AgentSessionError, LoadedLog, LogRecord } from '@handrail/session';
import { RECORD_VERSION, toSessionError } from '@handrail/session/follow';
import type { Connection } from './connection.js';
import type { Host } from './host.js';
import type { Pause } from './pause.js';
import type { Transport, TransportItem } from './transport.js';

export interface ReadParts {
  readonly transport: Transport;
  readonly connection: Connection;
  readonly host: Host;
  readonly pause: Pause;
  /** Is called after each item. */
  opened(): void;
}

/** Reads a log over a transport that fails: after each end it goes on behind the last revision. Never throws, and ends with the signal. */
export async function* readAlways(
  { transport, connection, host, pause, opened }: ReadParts,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<LogRecord | LoadedLog, void, void> {
  let revision = after;
  while (!signal.aborted) {
    let failure: AgentSessionError | null = null;
    host.measureAgain();
    try {
      for await (const item of transport.read(revision, signal)) {
        if (signal.aborted) return;
        host.note(item);
        const read = logItemOf(item);
        yield read;
        // A sign of life has no revision of its own.
        if (read.revision > 0) revision = read.revision;
        pause.reset();
        connection.opened();
        opened();
      }
    } catch (error) {
      failure = toSessionError(error, 'network', 'The session cannot be reached.');
    }
    if (signal.aborted) return;
    connection.ended();
    if (failure !== null) connection.failed('reading', failure);
    await pause.wait(failure, signal);
  }
}

/** Returns an item as the log has it: a sign of life is a record that every reader has already. */
function logItemOf(item: TransportItem): LogRecord | LoadedLog {
  if ('alive' in item) return { version: RECORD_VERSION, revision: 0, epoch: 0, operations: [] };
  return 'snapshot' in item ? { records: [], ...item } : item;
}
