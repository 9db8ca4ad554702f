import type { ChatList, ChatRow } from '../../chats/chat-list.js';
import { timeWords } from '../../chats/chat-words.js';
import { visibleText } from '../../text/visible-text.js';
import { IconButton } from './IconButton.js';

interface ChatRowViewProps {
  readonly row: ChatRow;
  /** The title while the user edits it; null if it is not being edited. */
  readonly renamed: string | null;
  readonly chats: ChatList;
}

export function ChatRowView({ row, renamed, chats }: ChatRowViewProps) {
  const { id, note, isWaiting, updatedAt, isShown, isRemoved, isEmpty } = row;
  const title = visibleText(row.title);
  if (isRemoved) {
    return (
      <li className="chat-row" data-removed="">
        <span className="chat-row-title">Deleted “{title}”</span>
        <button
          type="button"
          className="button"
          data-focus={`restore:${id}`}
          data-stop=""
          aria-label={`Undo: delete ${title}`}
          onClick={() => chats.restore(id)}
        >
          Undo
        </button>
      </li>
    );
  }
  if (renamed !== null) {
    return (
      <li className="chat-row">
        <form
          className="chat-rename"
          onSubmit={(event) => {
            event.preventDefault();
            void chats.saveRename();
          }}
        >
          <input
            aria-label="Title"
            maxLength={120}
            data-focus={`chat-title:${id}`}
            value={renamed}
            onChange={(event) => chats.writeRename(event.target.value)}
          />
          <button type="submit" className="button button-primary" disabled={renamed.trim() === ''}>
            Save
          </button>
          <button type="button" className="button" onClick={chats.cancelRename}>
            Cancel
          </button>
        </form>
      </li>
    );
  }
  return (
    <li className="chat-row" data-shown={isShown || undefined}>
      <button
        type="button"
        className="chat-open"
        aria-current={isShown || undefined}
        data-focus={`chat:${id}`}
        data-stop=""
        onClick={() => chats.show(id)}
      >
        <span className="chat-row-title">{title}</span>
        <time className="chat-row-time" dateTime={new Date(updatedAt).toISOString()}>
          {timeWords(updatedAt, Date.now())}
        </time>
        <span className="chat-row-note" data-waiting={isWaiting || undefined}>
          {note}
        </span>
      </button>
      {!isEmpty && (
        <span className="chat-row-tools" role="group" aria-label={`Chat: ${title}`}>
          <IconButton
            icon="pencil"
            label="Rename"
            focusName={`rename:${id}`}
            onPress={() => chats.beginRename(row)}
          />
          <IconButton icon="bin" label="Delete" focusName={`delete:${id}`} onPress={() => chats.remove(id)} />
        </span>
      )}
    </li>
  );
}
