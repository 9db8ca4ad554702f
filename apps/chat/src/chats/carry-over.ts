import type { SavedConversation, SessionLog } from '@banister/session';
import { messageOf } from '@banister/provider';
import { inOneForm } from './earlier-form.js';

/** Earlier releases kept the conversation of a tab in its session storage, under this key. */
const CONVERSATION = 'banister.conversation';

/** The conversation of an earlier release, which becomes a chat of the log. */
export interface CarriedOver {
  /**
   * Why the conversation cannot be read; null if it can be read. An unreadable conversation stays, because a
   * newer release may be able to read it.
   */
  readonly problem: string | null;
  /** Returns the log. It stores the conversation as a chat when that chat is opened. */
  into(log: SessionLog, id: string): SessionLog;
  forget(): void;
}

/** Resolves with null if there is none. */
export async function carryOver(
  storage: Pick<Storage, 'getItem' | 'removeItem'>,
): Promise<CarriedOver | null> {
  const text = read(storage);
  if (text === null) return null;
  const forget = () => storage.removeItem(CONVERSATION);
  try {
    const conversation = inOneForm(JSON.parse(text) as SavedConversation);
    const { readLog } = await import('./session-states.js');
    const { problem } = readLog({ snapshot: conversation, records: [] });
    if (problem) throw problem.cause ?? problem;
    return {
      problem: null,
      forget,
      into(log, id) {
        const stored = begin(log, id, conversation).then(forget);
        // The claim rejects with the error.
        stored.catch(() => {});
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

async function begin(log: SessionLog, id: string, conversation: SavedConversation): Promise<void> {
  const { beginLog } = await import('@banister/storage/jsonl');
  await beginLog(log, id, conversation);
}

function read(storage: Pick<Storage, 'getItem'>): string | null {
  try {
    return storage.getItem(CONVERSATION);
  } catch {
    return null;
  }
}
