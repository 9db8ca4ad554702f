import {
  isTerminal,
  messageOf,
  signal,
  type LocalAgentSession,
  type ReadonlySignal,
  type SavedConversation,
} from '@handrail/session';

const KEY = 'handrail.conversation';

type Create = (conversation: SavedConversation | undefined) => LocalAgentSession;

/** Keeps the conversation while the tab lives. */
export interface ChatStorage {
  readonly problem: ReadonlySignal<string | null>;
  /** A session that goes on where the saved one ended, or an empty one. */
  restore(create: Create): LocalAgentSession;
  /** Saves the session's conversation whenever a turn ends, or the page is left. */
  follow(session: LocalAgentSession): void;
  clear(): void;
}

export function createChatStorage(storage: Storage): ChatStorage {
  const problem = signal<string | null>(null);
  /** A conversation that cannot be read is kept, not overwritten: a newer release may be able to read it. */
  let keepAsItIs = false;
  let leave = () => {};

  const save = (session: LocalAgentSession): void => {
    if (keepAsItIs) return;
    try {
      const { turns } = session.state;
      if (turns.length === 0 && session.state.liveTurn === null) storage.removeItem(KEY);
      else storage.setItem(KEY, JSON.stringify(session.save()));
      problem.value = null;
    } catch (error) {
      problem.value = `This conversation could not be saved: ${messageOf(error)}`;
    }
  };

  return {
    problem,

    restore(create) {
      try {
        const saved = storage.getItem(KEY);
        return create(saved === null ? undefined : (JSON.parse(saved) as SavedConversation));
      } catch (error) {
        keepAsItIs = true;
        problem.value = `The saved conversation cannot be read, so nothing is saved until you start a new chat. ${messageOf(error)}`;
        return create(undefined);
      }
    },

    follow(session) {
      leave();
      const onLeave = () => save(session);
      const subscription = session.operations$.subscribe((operation) => {
        const { type } = operation;
        if (isTerminal(operation) || type === 'undone' || type === 'redone' || type === 'lateToolSettled')
          onLeave();
      });
      addEventListener('pagehide', onLeave);
      leave = () => {
        subscription.unsubscribe();
        removeEventListener('pagehide', onLeave);
      };
    },

    clear() {
      keepAsItIs = false;
      problem.value = null;
      storage.removeItem(KEY);
    },
  };
}
