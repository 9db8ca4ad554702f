import type { AgentSessionError } from '@banister/provider';
import { disposedError } from '@banister/provider/internal/errors/disposed-error';
import { readConversation } from '../conversation/open-conversation.js';
import { defaultLimits } from '../limits/limits.js';
import { resolvePorts, type GivenPorts } from '../ports/ports.js';
import { savedConversationOf } from '../state/saved-conversation-of.js';
import type { Words } from '../words/create-words.js';
import type { AgentSession } from './agent-session.js';
import { commandsThat, type FollowedCommand } from './command-table.js';
import { Follower } from './follower.js';
import { interruptOpenWork } from './interrupt-open-work.js';
import { LogTail, type ReadAfter } from '../log/log-tail.js';
import { isLogGone } from '../log/lost-log.js';
import { MessageFiles, readsFirst } from './message-files.js';
import { postWhenListening } from '../log/post-when-listening.js';
import { SessionCore } from './session-core.js';
import { SessionHandle, type SessionLine } from './session-handle.js';
import type { LogChannel } from '../log/session-log.js';
import { sessionObject } from './session-object.js';
import { setLink } from './set-link.js';

/** How to reach a session that runs elsewhere. */
export interface FollowOptions {
  /** Reads the log of that session. The session is open after the first item was read. */
  readonly read: ReadAfter;
  /** Takes commands to that session, and brings their receipts back. */
  readonly channel: LogChannel;
  /** The words for the user, made with `createWords`, as they appear in the signals. Default: the English words. */
  readonly words?: Words | undefined;
  /** The ports that the session uses; it has no journal. Default: the ports of the platform. */
  readonly ports?: Omit<GivenPorts, 'journal'> | undefined;
}

/**
 * Returns a session object for a session that runs elsewhere. Its state is the fold of the log that `read` delivers, and its commands are
 * posted to `channel`. `dispose` stops the reading and the messages; the session elsewhere goes on.
 *
 * @example
 * const session = followSession({ read: (after, signal) => readAfter(after, signal), channel });
 */
export function followSession(options: FollowOptions): AgentSession {
  const ports = resolvePorts(options.ports);
  const handle = new SessionHandle(ports, { role: 'follower', open: false, saved: true }, options.words);
  handle.line = serverLine(handle, options);
  return sessionObject<AgentSession, FollowedCommand>(handle, followed, {});
}

const followed = commandsThat<FollowedCommand>(({ stays }) => !stays);

/** Returns the line to a session elsewhere. It reads the files of a message first. */
function serverLine(handle: SessionHandle, { read, channel }: FollowOptions): SessionLine {
  const { outputs, link, ports } = handle;
  const core = new SessionCore(ports, outputs.shown.empty, outputs);
  core.showState();
  const follower = new Follower({
    channel: postWhenListening(channel),
    core,
    owner: null,
    nextId: () => ports.ids.next('command'),
    released: () => {},
  });
  const end = (reason: AgentSessionError) => {
    tail.stop();
    follower.abort(reason);
  };
  const tail = new LogTail({
    read: (after, signal) => eachWith(read(after, signal), () => setLink(link, { open: true }, ports)),
    clock: ports.clock,
    core,
    readSaved: readConversation,
    beforeFold: (operations) => follower.beforeFold(operations),
    beforeReplace: (state) => follower.beforeReplace(state),
    unreadable: (problem) => {
      end(problem);
      if (isLogGone(problem)) interruptOpenWork(core, ports.clock, tail.epoch + 1);
      setLink(link, { role: 'read-only', open: true, saved: !isLogGone(problem) }, ports);
      ports.reportError(problem);
    },
  });
  tail.start({ revision: 0, epoch: 0 });
  const readings = readingsOf(core);
  // The limits of the session are not known here.
  const limits = () => defaultLimits;
  const files = new MessageFiles({ core, ports, signal: follower.signal, limits, hold: readings.hold });
  const line: SessionLine = {
    call(name, args) {
      if (name === 'cancel') readings.cancel();
      const pass = (_own: unknown, sent: readonly unknown[]) => follower.pass(name, sent);
      return readsFirst(name) ? files.first(name, args, pass) : pass(args, args);
    },
    save: () => savedConversationOf(core.state),
    async end() {
      end(disposedError());
      // If the log could not be read, the follower has ended before, with another error.
      handle.line = { ...line, call: () => Promise.reject(disposedError()) };
      core.close();
    },
  };
  return line;
}

/** Keeps turns waiting while their files are read. Such a turn is shown as starting, and a cancel ends it. */
function readingsOf(core: SessionCore) {
  let aborter = new AbortController();
  return {
    async hold<T, R>(read: (signal: AbortSignal) => Promise<T>, run: (read: T) => Promise<R>): Promise<R> {
      const hide = core.current.isRunning ? () => {} : core.showStart();
      return read(aborter.signal)
        .finally(hide)
        .then(run)
        .finally(() => core.publish());
    },
    cancel() {
      aborter.abort();
      aborter = new AbortController();
    },
  };
}

/** Calls `taken` after each item was consumed. */
async function* eachWith<T>(items: AsyncIterable<T>, taken: () => void): AsyncGenerator<T, void, void> {
  for await (const item of items) {
    yield item;
    taken();
  }
}
