import { useSignalValue, type AgentSession } from '@handrail/react';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import type { Chat } from '../../session/chat.js';
import { composerHint } from '../../session/composer-hint.js';
import { focusHome } from '../../view/keep-focus.js';
import { UsageLine } from './UsageLine.js';

interface ComposerProps {
  readonly chat: Chat;
  readonly session: AgentSession;
}

export function Composer({ chat: { composer, fault }, session }: ComposerProps) {
  const text = useSignalValue(composer.text);
  const isRunning = useSignalValue(session.isRunning);
  const isCancelling = useSignalValue(session.phase) === 'cancelling';
  const message = useRef<HTMLTextAreaElement>(null);

  // When the button with the focus is removed, as Send and Stop replace each other, the message takes the focus.
  useEffect(() => focusHome(message.current!), []);

  const send = () => {
    composer.send();
    message.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // While a word is being composed, Enter belongs to the input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    // A repeated key was pressed on another element, which has handled it already.
    if (!event.repeat) send();
  };

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="composer-box">
        <textarea
          ref={message}
          aria-label="Message"
          placeholder="Ask for a change"
          rows={1}
          value={text}
          onChange={(event) => composer.write(event.target.value)}
          onKeyDown={onKeyDown}
        />
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
          <button key="send" type="submit" className="button button-primary" disabled={text.trim() === ''}>
            Send
          </button>
        )}
      </div>
      <div className="composer-foot">
        <p className="composer-hint">{composerHint(fault, isCancelling)}</p>
        <UsageLine session={session} />
      </div>
    </form>
  );
}
