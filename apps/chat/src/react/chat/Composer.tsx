import { useSession, useSignalValue, type AgentSession } from '@banister/react';
import { useEffect, useId, useRef, type KeyboardEvent } from 'react';
import type { Chat } from '../../session/chat.js';
import { composerHint, composerPlaceholder, steerKey } from '../../session/composer-hint.js';
import { composerKey } from '../../session/composer-keys.js';
import { visibleText } from '../../text/visible-text.js';
import { focusHome } from '../../view/keep-focus.js';
import { takeFiles } from '../../view/take-files.js';
import { Icon } from '../Icon.js';
import { AttachButton } from './AttachButton.js';
import { ContextMeter } from './ContextMeter.js';
import { FileList } from './FileList.js';
import { ModePicker } from './ModePicker.js';
import { PermissionList } from './PermissionList.js';

interface ComposerProps {
  readonly chat: Chat;
  readonly session: AgentSession;
}

export function Composer({ chat, session }: ComposerProps) {
  const { composer, branching } = chat;
  const text = useSignalValue(composer.text);
  const isEmpty = useSignalValue(composer.isEmpty);
  const files = useSignalValue(composer.files.shown);
  const problem = useSignalValue(composer.files.problem);
  const isRunning = useSignalValue(session.isRunning);
  const hint = useSession(session, (of) => composerHint(of, chat));
  const placeholder = useSession(session, composerPlaceholder);
  const message = useRef<HTMLTextAreaElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const hintId = useId();

  // When the focused button is removed, for example because Queue replaces Send, the message field takes the
  // focus.
  useEffect(() => focusHome(message.current!), []);
  useEffect(() => takeFiles(form.current!, composer.files.add), [composer]);

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
      ref={form}
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit('send');
      }}
    >
      {problem !== null && (
        <p role="alert" className="problem">
          {visibleText(problem)}
        </p>
      )}
      <div className="composer-box">
        <FileList label="Files to send" files={files} onRemove={composer.files.remove} />
        <textarea
          ref={message}
          aria-label="Message"
          dir="auto"
          aria-describedby={hintId}
          data-focus="message"
          placeholder={placeholder}
          rows={1}
          value={text}
          onChange={(event) => composer.write(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className="composer-tools">
          <AttachButton files={composer.files} />
          <ModePicker composer={composer} />
          <PermissionList permissions={chat.permissions} />
          <p className="composer-hint" id={hintId}>
            {hint}
          </p>
          <ContextMeter session={session} compacting={chat.compacting} menuId="gauge-menu" />
          {isRunning && !isEmpty && (
            <button
              type="button"
              className="button button-quiet"
              title={`It joins the running turn at its next step (${steerKey})`}
              onClick={() => submit('steer')}
            >
              Steer
            </button>
          )}
          <button
            key={isRunning ? 'queue' : 'send'}
            type="submit"
            className="send"
            aria-label={isRunning ? 'Queue' : 'Send'}
            title={isRunning ? 'Queue' : 'Send'}
            disabled={isEmpty}
          >
            <Icon name="send" />
          </button>
        </div>
      </div>
    </form>
  );
}
