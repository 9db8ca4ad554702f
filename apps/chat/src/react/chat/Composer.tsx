import { useSession, useSignalValue, type AgentSession } from '@handrail/react';
import { useEffect, useId, useRef, type KeyboardEvent } from 'react';
import type { Chat } from '../../session/chat.js';
import { composerHint, steerKey } from '../../session/composer-hint.js';
import { composerKey } from '../../session/composer-keys.js';
import { focusHome } from '../../view/keep-focus.js';
import { UsageLine } from './UsageLine.js';

interface ComposerProps {
  readonly chat: Chat;
  readonly session: AgentSession;
}

export function Composer({ chat, session }: ComposerProps) {
  const { composer, branching } = chat;
  const text = useSignalValue(composer.text);
  const isEmpty = text.trim() === '';
  const isRunning = useSignalValue(session.isRunning);
  const hint = useSession(session, (of) => composerHint(of, chat));
  const message = useRef<HTMLTextAreaElement>(null);
  const hintId = useId();

  // When the button with the focus is removed, as Send and Stop replace each other, the message takes the focus.
  useEffect(() => focusHome(message.current!), []);

  const submit = (how: 'send' | 'steer') => {
    composer[how]();
    message.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const key = composerKey(event.nativeEvent);
    if (key === 'edit-last' && text === '' && branching.editLast()) event.preventDefault();
    if (key === 'send' || key === 'steer' || key === 'held') event.preventDefault();
    if (key === 'send' || key === 'steer') submit(key);
  };

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit('send');
      }}
    >
      <div className="composer-box">
        <textarea
          ref={message}
          aria-label="Message"
          aria-describedby={hintId}
          data-focus="message"
          placeholder={isRunning ? 'Ask for more, or steer' : 'Ask for a change'}
          rows={1}
          value={text}
          onChange={(event) => composer.write(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {isRunning && !isEmpty && (
          <div className="composer-more">
            <button type="submit" className="button">
              Queue
            </button>
            <button
              type="button"
              className="button"
              title={`It joins the running turn at its next step (${steerKey})`}
              onClick={() => submit('steer')}
            >
              Steer
            </button>
          </div>
        )}
        {/* Two buttons and not one that changes: a press on Stop would go on as a press on Send. */}
        {isRunning ? (
          <button
            key="stop"
            type="button"
            className="button button-stop"
            onClick={() => void session.cancel()}
          >
            Stop
          </button>
        ) : (
          <button key="send" type="submit" className="button button-primary" disabled={isEmpty}>
            Send
          </button>
        )}
      </div>
      <div className="composer-foot">
        <p className="composer-hint" id={hintId}>
          {hint}
        </p>
        <UsageLine session={session} />
      </div>
    </form>
  );
}
