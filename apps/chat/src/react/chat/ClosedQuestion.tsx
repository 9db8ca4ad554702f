import { rowWords, type QuestionWords } from '../../session/question-words.js';
import type { Question, Questions } from '../../session/questions.js';
import { visibleText } from '../../text/visible-text.js';
import { Icon } from '../Icon.js';

interface ClosedQuestionProps {
  readonly questions: Questions;
  readonly question: Question;
  readonly words: QuestionWords;
  readonly name: string;
}

/**
 * A question as one row. If its call costs something or cannot be undone, it can be approved only in the
 * unfolded question.
 */
export function ClosedQuestion({ questions, question, words, name }: ClosedQuestionProps) {
  const { title, news, facts } = words;
  const { change, preview } = rowWords(words);
  return (
    <div
      role="group"
      aria-label={name}
      className="question"
      data-tool={visibleText(question.confirmation.call.tool)}
    >
      <div className="question-row">
        <button
          type="button"
          className="question-toggle"
          aria-expanded={false}
          onClick={() => questions.unfold(question)}
        >
          <span className="question-title">{title}</span>
          <span className="question-line">
            {news && <span className="question-news">{news}</span>}
            {facts.map(({ kind, text }) => (
              <span key={kind} data-fact={kind}>
                {text}
              </span>
            ))}
            {change && (
              <span>
                <s>{change.before}</s> <span className="leads">→</span> <em>{change.after}</em>
              </span>
            )}
            {preview !== null && <span>{preview}</span>}
          </span>
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label={`Refuse: ${title}`}
          title="Refuse"
          onClick={() => questions.refuse(question)}
        >
          <Icon name="remove" />
        </button>
        {question.isLight ? (
          <button
            type="button"
            className="icon-button question-yes"
            aria-label={`Approve: ${title}`}
            title={words.verb}
            onClick={() => void questions.approve(question)}
          >
            <Icon name="done" />
          </button>
        ) : (
          <button
            type="button"
            className="button question-yes"
            aria-label={`Open: ${title}`}
            onClick={() => questions.unfold(question)}
          >
            Open
          </button>
        )}
      </div>
    </div>
  );
}
