import { useId } from 'react';
import { costWords, type QuestionWords } from '../../session/question-words.js';
import type { Question } from '../../session/questions.js';
import { rememberChoices, type RememberChoice } from '../../session/remember.js';
import { visibleText } from '../../text/visible-text.js';
import { Countdown } from './Countdown.js';

interface ConfirmationCardProps {
  readonly question: Question;
  readonly words: QuestionWords;
  onEdit(text: string): void;
  onChoose(remember: RememberChoice): void;
  onApprove(): void;
  onDeny(): void;
}

export function ConfirmationCard(props: ConfirmationCardProps) {
  const { question, words, onEdit, onChoose, onApprove, onDeny } = props;
  const { confirmation, text, errors, remember } = question;
  const { cost, irreversible, expiresAt } = confirmation;
  const reasonId = useId();
  const errorsId = useId();
  return (
    <div
      role="group"
      // Takes the focus as a whole when a question before it has been answered.
      tabIndex={-1}
      aria-label={words.name}
      aria-describedby={reasonId}
      className="confirmation"
    >
      <p className="confirmation-title">
        {words.title}
        {cost && <span className="badge badge-cost">{costWords(cost)}</span>}
        {irreversible && <span className="badge badge-danger">cannot be undone</span>}
      </p>
      <p className="confirmation-reason" id={reasonId}>
        {words.reason}
      </p>
      <label className="field">
        Arguments
        <textarea
          rows={text.split('\n').length}
          spellCheck={false}
          value={text}
          aria-invalid={errors.length > 0}
          aria-describedby={errors.length > 0 ? errorsId : undefined}
          onChange={(event) => onEdit(event.target.value)}
        />
      </label>
      {errors.length > 0 && (
        <div className="problem" role="alert" id={errorsId}>
          {errors.map((error) => (
            <p key={error}>{visibleText(error)}</p>
          ))}
        </div>
      )}
      <label className="remember">
        Allow
        <select value={remember} onChange={(event) => onChoose(event.target.value as RememberChoice)}>
          {rememberChoices(confirmation).map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <div className="confirmation-answers">
        {expiresAt !== null && <Countdown until={expiresAt} />}
        <button type="button" className="button" onClick={onDeny}>
          Deny
        </button>
        <button type="button" className="button button-primary" onClick={onApprove}>
          Approve
        </button>
      </div>
    </div>
  );
}
