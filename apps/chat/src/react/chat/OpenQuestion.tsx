import { useId } from 'react';
import type { QuestionWords } from '../../session/question-words.js';
import type { Question, Questions } from '../../session/questions.js';
import { visibleText } from '../../text/visible-text.js';
import { Icon } from '../Icon.js';
import { QuestionForm } from './QuestionForm.js';
import { RememberMenu } from './RememberMenu.js';

interface OpenQuestionProps {
  readonly questions: Questions;
  readonly question: Question;
  readonly words: QuestionWords;
  readonly name: string;
}

/**
 * The unfolded question: what an approval does, costs and changes, the arguments as a form, and the answers.
 */
export function OpenQuestion({ questions, question, words, name }: OpenQuestionProps) {
  const { title, facts, reason, news, change, preview, previewState, previewNote, verb } = words;
  const aboutId = useId();
  return (
    <div
      role="group"
      // Takes the focus when the previous question has been answered.
      tabIndex={-1}
      aria-label={name}
      aria-describedby={aboutId}
      className="question"
      data-open
      data-focus={`question:${question.id}`}
      data-tool={visibleText(question.confirmation.call.tool)}
    >
      <div className="question-body">
        <h4 className="question-title">{title}</h4>
        <div className="question-about" id={aboutId}>
          {facts.map(({ kind, text }) => (
            <span key={kind} className="fact" data-fact={kind}>
              <Icon name={kind} />
              {text}
            </span>
          ))}
          <span className="question-reason">{reason}</span>
        </div>
        {news && <p className="question-news">{news}</p>}
        {change && (
          <div
            // A new element for each change, so that it flashes again.
            key={`${change.before} ${change.after}`}
            className="change"
            data-renewed={question.isRenewed || undefined}
            data-state={previewState}
            aria-busy={previewState === 'busy'}
          >
            <p>
              <small>Now</small> {change.before}
            </p>
            <Icon name="leads" />
            <p>
              <small>After</small> {change.after}
            </p>
          </div>
        )}
        {preview && <Preview {...preview} state={previewState} />}
        {previewNote && <p className="preview-note">{previewNote}</p>}
        <QuestionForm question={question} />
      </div>
      <footer className="question-foot">
        {question.plan === null && <RememberMenu questions={questions} question={question} />}
        <button
          type="button"
          className="button question-refuse"
          aria-keyshortcuts="N"
          onClick={() => questions.refuse(question)}
        >
          Refuse <kbd aria-hidden="true">N</kbd>
        </button>
        <button
          type="button"
          className="button button-ask question-approve"
          aria-keyshortcuts="Y"
          aria-disabled={!question.isValid || undefined}
          onClick={() => void questions.approve(question)}
        >
          {verb} <kbd aria-hidden="true">Y</kbd>
        </button>
      </footer>
    </div>
  );
}

type PreviewProps = NonNullable<QuestionWords['preview']> & { readonly state: Question['previewState'] };

function Preview({ kind, text, state }: PreviewProps) {
  const isBusy = state === 'busy';
  if (kind === 'json')
    return (
      <pre className="code preview" data-state={state} aria-busy={isBusy}>
        {text}
      </pre>
    );
  return (
    <p className="preview" data-kind={kind} data-state={state} aria-busy={isBusy}>
      {text}
    </p>
  );
}
