import { effect, type AgentSession, type SessionLog } from '@banister/session';
import { computed } from '@banister/session/signals';
import { noteOf, titleOf } from './chat-words.js';

interface DescribedChat {
  readonly log: SessionLog;
  readonly id: string;
  readonly session: AgentSession;
  /** Called after each change of the list. */
  changed(): void;
}

/**
 * Stores the state of a chat in the list of the log, and its first message as the title if it has none. Only
 * the session that writes the log does this.
 */
export function describeChat({ log, id, session, changed }: DescribedChat): void {
  const title = computed(() => titleOf(session));
  const note = computed(() => noteOf(session));
  const writes = computed(() => {
    const { role, open, saved } = session.link.value;
    return role === 'writer' && open && saved;
  });
  let hasTitle = false;
  let work = Promise.resolve();

  const describe = async (first: string, words: string): Promise<void> => {
    hasTitle ||= (await log.list()).some((chat) => chat.id === id && chat.title !== '');
    await log.describe(id, { note: words, ...(hasTitle ? {} : { title: first }) });
    hasTitle = true;
    changed();
  };
  effect(() => {
    if (!writes.value || title.value === '') return;
    const [first, words] = [title.value, note.value];
    // If the log refuses the write, the mark in the bar shows it.
    work = work.then(() => describe(first, words)).catch(() => {});
  });
}
