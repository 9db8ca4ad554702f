import { useSignalValue } from '@banister/react';
import type { Chat } from '../session/chat.js';
import { Icon } from './Icon.js';

/** Shows in the bar where the chat is stored. It is not read out. */
export function SavedMarkView({ chat }: { readonly chat: Chat }) {
  const { kind, words } = useSignalValue(chat.saved);
  return (
    <p className="saved-mark" data-kind={kind} title={words}>
      <Icon name="cloud" />
      <span className="saved-words">{words}</span>
    </p>
  );
}

/**
 * The user's actions for an unsaved chat. The element always exists, so that a screen reader reads it out
 * when it is filled.
 */
export function NotSaved({ chat }: { readonly chat: Chat }) {
  const { kind, words, reason } = useSignalValue(chat.saved);
  return (
    <div className="not-saved" role="status" aria-label="Saving">
      {kind === 'unsaved' && (
        <>
          <p>
            {words}
            {reason === null ? '.' : `: ${reason}`}
          </p>
          <button type="button" className="button" onClick={() => void chat.exportShown()}>
            Export
          </button>
        </>
      )}
    </div>
  );
}
