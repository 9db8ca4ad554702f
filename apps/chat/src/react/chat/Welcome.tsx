import { useSignalValue } from '@banister/react';
import { useId } from 'react';
import { welcomeWords } from '../../guide/welcome-words.js';
import type { Chat } from '../../session/chat.js';
import { suggestions } from '../../session/suggestions.js';

interface WelcomeProps {
  readonly chat: Chat;
}

/** An empty chat: a headline, a first minute that plays by itself, and three suggestions. */
export function Welcome({ chat }: WelcomeProps) {
  const isOffline = useSignalValue(chat.provider) === 'offline';
  const id = useId();
  return (
    <div className="welcome">
      <h3>{welcomeWords.claim}</h3>
      <p>{welcomeWords.promise}</p>
      {/* Only for the rules, because a real model would answer differently. */}
      {isOffline && (
        <div className="watch">
          <button
            type="button"
            className="button button-primary"
            aria-describedby={`${id}watch`}
            onClick={() => chat.scenario.start('minute')}
          >
            <svg className="watch-icon" viewBox="0 0 16 16" aria-hidden="true">
              <path d="M5 3.25v9.5L12.5 8z" />
            </svg>
            {welcomeWords.watch}
          </button>
          <button
            type="button"
            className="button"
            aria-describedby={`${id}watch`}
            onClick={() => chat.scenario.start('plan')}
          >
            {welcomeWords.watchPlan}
          </button>
          <span id={`${id}watch`}>{welcomeWords.watchHint}</span>
        </div>
      )}
      <ul className="tries" aria-label="Things to try">
        {suggestions.map(({ text, hint }, index) => (
          <li key={text}>
            <button
              type="button"
              className="try"
              aria-describedby={`${id}${index}`}
              onClick={() => chat.composer.say(text)}
            >
              {text}
            </button>
            <span id={`${id}${index}`}>{hint}</span>
          </li>
        ))}
      </ul>
      {isOffline && <p className="welcome-model">{welcomeWords.model}</p>}
    </div>
  );
}
