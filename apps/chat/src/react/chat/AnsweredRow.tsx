import type { DescribeCall } from '../../board/describe-call.js';
import { answerWords, answeredTitle } from '../../session/question-words.js';
import type { AnsweredQuestion } from '../../session/questions.js';
import { visibleText } from '../../text/visible-text.js';

interface AnsweredRowProps {
  readonly answered: AnsweredQuestion;
  readonly describe: DescribeCall;
}

/** The line that replaces an answered question until the other questions are answered. */
export function AnsweredRow({ answered, describe }: AnsweredRowProps) {
  const title = answeredTitle(answered, describe);
  return (
    <div
      role="group"
      aria-label={title}
      className="question"
      data-answer={answered.answer}
      data-tool={visibleText(answered.confirmation.call.tool)}
    >
      <p className="question-answered">
        <span className="question-title">{title}</span>
        <span className="question-answer">{answerWords(answered)}</span>
      </p>
    </div>
  );
}
