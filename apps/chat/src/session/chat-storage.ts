import {
  effect,
  isTerminal,
  messageOf,
  signal,
  type LocalAgentSession,
  type Operation,
  type ReadonlySignal,
  type SavedConversation,
  type SessionOptions,
} from '@handrail/session';
import { ChatLog } from './chat-log.js';

/** Written by releases without a log. It is read while there is no log, and removed once there is one. */
const CONVERSATION = 'handrail.conversation';

/** The options of a session that come from the storage. */
export type SavedOptions = Pick<SessionOptions, 'conversation' | 'restored' | 'ports'>;

type Create = (saved: SavedOptions) => LocalAgentSession;

/** Keeps the chat while the tab lives: a turn that runs at a reload can be continued, or taken back, after it. */
export interface ChatStorage {
  readonly problem: ReadonlySignal<string | null>;
  /** Returns a session that goes on where the saved one ended, or an empty one. Every operation of it is saved. */
  open(create: Create): LocalAgentSession;
  /** Forgets what is saved. Called between two sessions. */
  clear(): void;
}

export function createChatStorage(storage: Storage): ChatStorage {
  const problem = signal<string | null>(null);
  const log = new ChatLog(storage);
  /** A conversation that cannot be read is kept, not overwritten: a newer release may be able to read it. */
  let keepAsItIs = false;
  let leave = () => {};

  const attempt = (save: () => void): void => {
    try {
      save();
      problem.value = null;
    } catch (error) {
      problem.value = `This conversation could not be saved: ${messageOf(error)}`;
    }
  };

  const replace = ({ state, link }: LocalAgentSession): void => {
    // Before the session has read its log, and when it cannot, its state is not the saved one.
    const { open, role } = link.peek();
    if (keepAsItIs || !open || role !== 'writer') return;
    attempt(() => {
      log.replace(state);
      storage.removeItem(CONVERSATION);
    });
  };

  /** A full storage refuses nothing: the chat goes on unsaved, and the next end of a turn is saved if it can be. */
  const write = (session: LocalAgentSession, operations: readonly Operation[]): void => {
    const isFirst = !log.isWhole && problem.peek() === null;
    if (isFirst || operations.some(isTerminal)) replace(session);
    else if (log.isWhole) attempt(() => log.append(operations));
  };

  const follow = (session: LocalAgentSession): void => {
    leave();
    const onLeave = () => {
      if (session.state.sequence > 0) replace(session);
    };
    addEventListener('pagehide', onLeave);
    const stop = effect(() => {
      if (session.link.value.role === 'read-only')
        problem.value =
          'The saved conversation cannot be read to its end, so it cannot go on here. Start a new chat instead.';
    });
    leave = () => {
      stop();
      removeEventListener('pagehide', onLeave);
    };
  };

  const read = (): SavedOptions => {
    const restored = log.load();
    if (restored !== null) return { restored };
    const saved = storage.getItem(CONVERSATION);
    return saved === null ? {} : { conversation: JSON.parse(saved) as SavedConversation };
  };

  return {
    problem,

    open(create) {
      const journal = { write: (operations: readonly Operation[]) => write(session, operations) };
      const session = createFrom((saved) => create({ ...saved, ports: { journal } }));
      follow(session);
      return session;
    },

    clear() {
      keepAsItIs = false;
      problem.value = null;
      log.remove();
      storage.removeItem(CONVERSATION);
    },
  };

  function createFrom(create: Create): LocalAgentSession {
    try {
      return create(read());
    } catch (error) {
      keepAsItIs = true;
      problem.value = `The saved conversation cannot be read, so nothing is saved until you start a new chat. ${messageOf(error)}`;
      return create({});
    }
  }
}
