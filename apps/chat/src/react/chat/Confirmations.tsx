import { useSignalValue } from '@handrail/react';
import type { Chat } from '../../session/chat.js';
import { questionWords } from '../../session/question-words.js';
import { ConfirmationCard } from './ConfirmationCard.js';

/** The questions that wait for the user. All are open at once; each can be answered by itself. */
export function Confirmations({ chat: { questions, describe } }: { readonly chat: Chat }) {
  const asked = useSignalValue(questions.open);

  return (
    <section className="confirmations" aria-label="Questions" hidden={asked.length === 0}>
      {asked.length > 1 && (
        <header className="confirmations-header">
          <p>{asked.length} changes wait for you</p>
          <button type="button" className="button button-primary" onClick={questions.approveAll}>
            Approve all
          </button>
        </header>
      )}
      {asked.map((question) => (
        <ConfirmationCard
          key={question.confirmation.id}
          question={question}
          words={questionWords(question, describe)}
          onEdit={(text) => questions.edit(question, text)}
          onChoose={(remember) => questions.choose(question, remember)}
          onApprove={() => questions.approve(question)}
          onDeny={() => questions.deny(question)}
        />
      ))}
    </section>
  );
}
