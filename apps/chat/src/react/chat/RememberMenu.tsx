import type { Questions, Question } from '../../session/questions.js';
import { rememberLabel, rememberScopes, rememberShort, rememberTimes } from '../../session/remember.js';
import { visibleText } from '../../text/visible-text.js';
import { Icon } from '../Icon.js';

interface RememberMenuProps {
  readonly questions: Questions;
  readonly question: Question;
}

/** Chooses how long an approval is remembered, and for which calls. */
export function RememberMenu({ questions, question }: RememberMenuProps) {
  const { id, confirmation, remember } = question;
  const scopes = rememberScopes(confirmation);
  return (
    <details className="remember">
      <summary>
        <span className="remember-label">{visibleText(rememberLabel(remember, confirmation))}</span>
        <span className="remember-short" aria-hidden="true">
          {rememberShort(remember)}
        </span>
        <Icon name="open" />
      </summary>
      <div className="remember-menu">
        <fieldset>
          <legend className="visually-hidden">Allow</legend>
          {rememberTimes.map(({ value, label }) => (
            <label key={value}>
              <input
                type="radio"
                name={`time-${id}`}
                checked={remember.time === value}
                onChange={() => questions.remember(question, { ...remember, time: value })}
              />
              {label}
            </label>
          ))}
        </fieldset>
        {remember.time !== 'once' && (
          <fieldset>
            <legend className="visually-hidden">Covers</legend>
            {scopes.map(({ value, label }) => (
              <label key={value}>
                <input
                  type="radio"
                  name={`scope-${id}`}
                  checked={remember.scope === value}
                  onChange={() => questions.remember(question, { ...remember, scope: value })}
                />
                {visibleText(label)}
              </label>
            ))}
          </fieldset>
        )}
      </div>
    </details>
  );
}
