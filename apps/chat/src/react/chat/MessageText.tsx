import { useState } from 'react';
import { isLongMessage } from '../../session/long-message.js';
import { visibleText } from '../../text/visible-text.js';

/** The text of a user message. A long text is folded until the reader unfolds it. */
export function MessageText({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = isLongMessage(text);
  return (
    <div className="message-text">
      <p className="user-message" dir="auto" data-folded={(isLong && !isOpen) || undefined}>
        {visibleText(text)}
      </p>
      {isLong && (
        <button type="button" className="fold-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : 'Show all'}
        </button>
      )}
    </div>
  );
}
