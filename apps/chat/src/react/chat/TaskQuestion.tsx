import { useSignalValue } from '@banister/react';
import type { Chat } from '../../session/chat.js';
import { QuestionList } from './QuestionList.js';

/** The questions of a task in the background, below the conversation. */
export function TaskQuestion({ chat }: { readonly chat: Chat }) {
  const asking = useSignalValue(chat.tasks.asking);
  if (asking === null) return null;
  return (
    <div className="turn-group">
      <section className="turn" aria-label="A task asks" data-rail="none">
        <QuestionList chat={chat} />
      </section>
    </div>
  );
}
