import { useSignalValue } from '@banister/react';
import type { Chat } from '../../session/chat.js';
import { questionWords, rowName } from '../../session/question-words.js';
import type { QuestionRow } from '../../session/questions.js';
import { AnsweredRow } from './AnsweredRow.js';
import { ClosedQuestion } from './ClosedQuestion.js';
import { OpenQuestion } from './OpenQuestion.js';
import { QuestionHead } from './QuestionHead.js';
import { StepMark } from './StepMark.js';

/**
 * The questions about the calls of a turn, as one list at the place of these calls. One question is unfolded.
 */
export function QuestionList({ chat }: { readonly chat: Chat }) {
  const rows = useSignalValue(chat.questions.rows);
  const current = useSignalValue(chat.questions.current);
  if (current === null) return null;
  return (
    <section className="step questions" aria-label="Questions" data-state="waiting" data-hold>
      <StepMark state="waiting" />
      <div className="questions-box">
        <QuestionHead chat={chat} />
        {rows.map((row) => (
          <Row key={row.id} chat={chat} row={row} rows={rows} isOpen={row.id === current.id} />
        ))}
      </div>
    </section>
  );
}

interface RowProps {
  readonly chat: Chat;
  readonly row: QuestionRow;
  readonly rows: readonly QuestionRow[];
  readonly isOpen: boolean;
}

function Row({ chat, row, rows, isOpen }: RowProps) {
  if ('answered' in row) return <AnsweredRow answered={row.answered} describe={chat.describe} />;
  const { question } = row;
  const words = questionWords(question, chat.describe);
  const Question = isOpen ? OpenQuestion : ClosedQuestion;
  return (
    <Question
      questions={chat.questions}
      question={question}
      words={words}
      name={rowName(rows, row, words.title)}
    />
  );
}
