import { useSignalValue, type AgentSession } from '@handrail/react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { FaultKind } from '../../offline/fault.js';
import { UsageLine } from './UsageLine.js';

interface ComposerProps {
  readonly session: AgentSession;
  readonly fault: FaultKind | null;
}

export function Composer({ session, fault }: ComposerProps) {
  const [text, setText] = useState('');
  const isRunning = useSignalValue(session.isRunning);
  const isCancelling = useSignalValue(session.phase) === 'cancelling';
  const message = useRef<HTMLTextAreaElement>(null);

  // Send and Stop take each other's place: whoever pressed one must not lose their place in the page.
  useEffect(() => {
    if (document.activeElement === document.body) message.current?.focus();
  }, [isRunning]);

  const send = () => {
    if (isRunning || text.trim() === '') return;
    // May be ignored: what comes of it is in the session's state.
    void session.send(text.trim());
    setText('');
    message.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // While a word is being composed, Enter belongs to the input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
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
          data-message
          aria-label="Message"
          placeholder="Ask for a change"
          rows={1}
          value={text}
          onChange={(event) => setText(event.target.value)}
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
        <p className="composer-hint">{hintFor(fault, isCancelling)}</p>
        <UsageLine session={session} />
      </div>
    </form>
  );
}

function hintFor(fault: FaultKind | null, isCancelling: boolean): string {
  if (isCancelling) return 'Press again to cut it';
  if (fault !== null) return `The model will ${faultWords[fault]}, once.`;
  return 'Enter to send';
}

const faultWords: Readonly<Record<FaultKind, string>> = {
  stall: 'fall silent',
  cut: 'lose the connection',
  error: 'fail',
  deaf: 'fall silent and not hear Stop',
};
