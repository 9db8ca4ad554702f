import { useSignalValue } from '@handrail/react';
import { useEffect, useRef } from 'react';
import type { Chat } from '../../session/chat.js';
import { ConfirmationCard } from './ConfirmationCard.js';

/** What waits on the user. All requests are open at once; each can be answered by itself. */
export function Confirmations({ chat: { questions, describe } }: { readonly chat: Chat }) {
  const asked = useSignalValue(questions.open);
  const root = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);

  // The button that was pressed is gone: go on with the next question, or back to the message.
  useEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return;
    const next = root.current?.querySelector<HTMLElement>('[data-approve]');
    (next ?? document.querySelector<HTMLElement>('[data-message]'))?.focus();
  }, [asked.length]);

  if (asked.length === 0) return null;
  const answer = (give: () => void) => {
    hadFocus.current = true;
    give();
  };
  return (
    <section className="confirmations" aria-label="Questions" ref={root}>
      {asked.length > 1 && (
        <header className="confirmations-header">
          <p>{asked.length} changes wait for you</p>
          <button
            type="button"
            className="button button-primary"
            onClick={() => answer(questions.approveAll)}
          >
            Approve all
          </button>
        </header>
      )}
      {asked.map((question) => (
        <ConfirmationCard
          key={question.confirmation.id}
          question={question}
          summary={describe(question.confirmation.call)}
          onEdit={(text) => questions.edit(question, text)}
          onApprove={() => answer(() => questions.approve(question))}
          onDeny={() => answer(() => questions.deny(question))}
        />
      ))}
    </section>
  );
}
