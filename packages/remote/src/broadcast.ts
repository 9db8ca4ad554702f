import { AgentSessionError, type GivenPorts, type JsonObject, type SessionLog } from '@banister/session';
import type { Clock } from '@banister/provider';
import type { LogChannel } from '@banister/session/log';
import { postWhenListening, readAfter, resolvePorts } from '@banister/session/follow';
import type { Transport, TransportItem } from './transport.js';

/** The time, in milliseconds, after which a page asks the writer for a receipt, and asks again: a message may be lost. */
const ASK_MS = 2_000;

/** Options of {@link broadcast}. */
export interface BroadcastOptions {
  /** The clock by which a command without a receipt asks the writer again. Default: the clock of the platform. */
  readonly ports?: Pick<GivenPorts, 'clock'> | undefined;
}

/**
 * Returns a transport over the log of a session. It reads the log; the session that writes the log carries out the commands. For a page
 * that shows a chat and never runs it. A command waits while no session writes. If the log has no channel, commands reject with
 * `unsupported`.
 *
 * @param id the id of the session in its log
 * @example
 * const session = remoteSession(broadcast(indexedDbLog(), 'chat-42'));
 */
export function broadcast(log: SessionLog, id: string, { ports }: BroadcastOptions = {}): Transport {
  const { clock } = resolvePorts(ports);
  const channel = log.channel?.(id);
  return {
    read: (after, signal) => readFromStart(log, id, after, signal),
    command: (message, signal) =>
      channel === undefined ? Promise.reject(withoutChannel()) : carriedOut(channel, message, signal, clock),
  };
}

async function* readFromStart(
  log: SessionLog,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<TransportItem, void, void> {
  let revision = after;
  if (after > 0) yield { alive: true };
  else {
    // The log is loaded as a whole, because single records would be published one by one.
    const loaded = await log.load(id);
    ({ revision } = loaded);
    yield loaded;
  }
  yield* readAfter(log, id, revision, signal);
}

/**
 * Posts a command, and posts it again to each new writer. The writer carries out the command unless the log says that the command has begun.
 * Resolves with the receipt.
 */
async function carriedOut(
  sharedChannel: LogChannel,
  { after: _after, ...command }: JsonObject,
  signal: AbortSignal,
  clock: Clock,
): Promise<JsonObject> {
  // Without `after`: a channel keeps the order.
  const id = command['id'] as string;
  const channel = postWhenListening(sharedChannel);
  const listening = new AbortController();
  const stop = () => listening.abort();
  signal.addEventListener('abort', stop);
  let stopTimer = () => {};
  const ask = () => {
    stopTimer = clock.schedule(() => {
      ask();
      channel.post({ ping: true, ids: [id] });
    }, ASK_MS);
  };
  try {
    const messages = channel.messages(listening.signal);
    channel.post(command);
    ask();
    for await (const message of messages) {
      if (message['receipt'] === id) return message;
      if ('writer' in message || message['missing'] === id) channel.post(command);
    }
    throw new AgentSessionError('disposed', 'The session is disposed.');
  } finally {
    stopTimer();
    signal.removeEventListener('abort', stop);
    listening.abort();
  }
}

function withoutChannel(): AgentSessionError {
  return new AgentSessionError(
    'unsupported',
    'The log of this conversation has no channel: it can be read here, and not be changed.',
  );
}
