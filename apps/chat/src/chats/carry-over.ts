import {
  createAgentSession,
  messageOf,
  preloadTurns,
  type Provider,
  type SavedConversation,
  type SessionLog,
  type SessionState,
} from '@banister/session';

/** Written by releases that kept the conversation of a tab in its session storage. */
const CONVERSATION = 'banister.conversation';

/** The conversation of an earlier release, which becomes a chat of the log. */
export interface CarriedOver {
  /** Why it cannot be read; null where it can. It stays where it is then: a newer release may be able to read it. */
  readonly problem: string | null;
  /** Returns the log, which stores it as a chat when that chat is opened. */
  into(log: SessionLog, id: string): SessionLog;
  forget(): void;
}

/** The session that reads the conversation sends nothing. */
const silent: Provider = { id: 'none', model: 'none', capabilities: { images: false }, async *stream() {} };

/** Resolves with null where there is none. */
export async function carryOver(
  storage: Pick<Storage, 'getItem' | 'removeItem'>,
): Promise<CarriedOver | null> {
  const text = read(storage);
  if (text === null) return null;
  const forget = () => storage.removeItem(CONVERSATION);
  try {
    const conversation = inCurrentForm(JSON.parse(text) as SavedConversation);
    // With this code a session has the turns of a conversation at once, or throws what is wrong with it.
    await preloadTurns({ domains: [] });
    const session = createAgentSession({ provider: silent, conversation });
    const { state } = session;
    void session.dispose();
    return {
      problem: null,
      forget,
      into(log, id) {
        const stored = store(log, id, state).then(forget);
        return {
          ...log,
          async claim(...args) {
            await stored;
            return log.claim(...args);
          },
        };
      },
    };
  } catch (error) {
    const problem = `The conversation of an earlier visit cannot be read. ${messageOf(error)}`;
    return { problem, forget, into: (log) => log };
  }
}

/** A conversation without attachments had the version 2. Before a turn could be redone out of order, it had no field `redo`. */
function inCurrentForm(saved: SavedConversation): SavedConversation {
  const { redo = [] } = saved as Partial<SavedConversation>;
  return saved.version === 2 ? { ...saved, version: 3, redo } : saved;
}

async function store(log: SessionLog, id: string, state: SessionState): Promise<void> {
  const lease = await log.claim(id, 'carry-over', 5_000);
  const record = { version: 1, revision: lease.revision + 1, epoch: lease.epoch, operations: [] };
  await log.append(lease, record, { barrier: true });
  // A snapshot is that of a record.
  await log.snapshot(lease, record.revision, state);
  await log.release(lease);
}

function read(storage: Pick<Storage, 'getItem'>): string | null {
  try {
    return storage.getItem(CONVERSATION);
  } catch {
    return null;
  }
}
